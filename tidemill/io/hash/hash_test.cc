#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/io/hash/algorithm.h"
#include "tidemill/io/hash/hasher.h"

namespace tidemill::hash {
namespace {

constexpr Algorithm kAll[] = {Algorithm::xxh3, Algorithm::sha256, Algorithm::sha512,
                              Algorithm::sha3_256, Algorithm::blake2b};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string hex_of(Algorithm algorithm, std::string_view text) {
  auto hasher = Hasher::make(algorithm);
  if (!hasher) return text_of(hasher.error());
  return hasher->of(bytes_of(text)).hex();
}

// From FIPS 180-4, FIPS 202, RFC 7693, and `xxhsum -H2`.
TEST(Hasher, MatchesThePublishedDigests) {
  EXPECT_EQ(hex_of(Algorithm::xxh3, "abc"), "06b05ab6733a618578af5f94892f3950");
  EXPECT_EQ(hex_of(Algorithm::xxh3, ""), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(hex_of(Algorithm::sha256, "abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex_of(Algorithm::sha256, ""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex_of(Algorithm::sha512, "abc"),
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
  EXPECT_EQ(hex_of(Algorithm::sha3_256, "abc"),
            "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532");
  EXPECT_EQ(hex_of(Algorithm::blake2b, "abc"),
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
            "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
}

// Long enough for the processor-specific variants.
TEST(Hasher, GivesTheSameDigestOnEveryProcessor) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += static_cast<char>(i % 251);
  EXPECT_EQ(hex_of(Algorithm::xxh3, text), "d324b9e72fa9fb271b846747012c24aa");
}

TEST(Hasher, IsReusableAfterFinish) {
  for (const Algorithm algorithm : kAll) {
    auto hasher = Hasher::make(algorithm);
    ASSERT_TRUE(hasher);
    EXPECT_EQ(hasher->algorithm(), algorithm);
    hasher->update(bytes_of("of another file"));
    static_cast<void>(hasher->finish());
    hasher->update(bytes_of("ab"));
    hasher->update({});
    hasher->update(bytes_of("c"));
    EXPECT_EQ(hasher->finish().hex(), hex_of(algorithm, "abc"));
    EXPECT_EQ(hasher->finish().hex(), hex_of(algorithm, ""));
    EXPECT_EQ(hasher->of({}).size, width_of(algorithm));
  }
}

// Lengths around the thresholds of XXH3 (16, 128, 240, 1024) and far beyond.
RC_GTEST_PROP(Hasher, GivesTheSameDigestInPiecesAsAtOnce, ()) {
  const auto algorithm = *rc::gen::elementOf(std::vector(std::begin(kAll), std::end(kAll)));
  const auto length = static_cast<std::size_t>(*rc::gen::oneOf(
      rc::gen::inRange(0, 300), rc::gen::inRange(1000, 1100), rc::gen::inRange(0, 20'000)));
  const auto seed = *rc::gen::inRange<std::uint32_t>(0, 1'000'000);
  std::string text(length, '\0');
  std::uint32_t state = seed;
  for (char& c : text) c = static_cast<char>((state = state * 1664525U + 1013904223U) >> 24U);

  auto hasher = Hasher::make(algorithm);
  RC_ASSERT(hasher.has_value());
  std::string_view left = text;
  while (!left.empty()) {
    const auto most = static_cast<int>(left.size());
    const auto piece = static_cast<std::size_t>(*rc::gen::inRange(0, most + 1));
    hasher->update(bytes_of(left.substr(0, std::max<std::size_t>(piece, 1))));
    left.remove_prefix(std::max<std::size_t>(piece, 1));
  }
  const Digest in_pieces = hasher->finish();
  RC_ASSERT(in_pieces == hasher->of(bytes_of(text)));
  RC_ASSERT(in_pieces.size == width_of(algorithm));
}

TEST(Algorithm, HasAStableNameNumberAndWidth) {
  const std::map<std::string_view, std::pair<std::int64_t, std::size_t>> stored{
      {"xxh3", {1, 16}},     {"sha256", {2, 32}},  {"sha512", {3, 64}},
      {"sha3-256", {4, 32}}, {"blake2b", {5, 64}},
  };
  for (const auto& [name, facts] : stored) {
    const auto algorithm = algorithm_named(name);
    ASSERT_TRUE(algorithm.has_value()) << name;
    EXPECT_EQ(name_of(*algorithm), name);
    EXPECT_EQ(static_cast<std::int64_t>(*algorithm), facts.first);
    EXPECT_EQ(algorithm_numbered(facts.first), algorithm);
    EXPECT_EQ(width_of(*algorithm), facts.second);
  }
  EXPECT_EQ(stored.size(), std::size(kAll));
}

TEST(Algorithm, IsNotFoundByAnUnknownNameOrNumber) {
  for (const std::string_view name : {"", "SHA256", "md5", "xxh3 ", "sha256\n"}) {
    EXPECT_FALSE(algorithm_named(name).has_value()) << name;
  }
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{6}, std::int64_t{-1},
                                    std::int64_t{257}, std::int64_t{1} << 40U}) {
    EXPECT_FALSE(algorithm_numbered(number).has_value()) << number;
  }
  EXPECT_EQ(name_of(static_cast<Algorithm>(77)), "unknown");
}

TEST(Digest, IsPrintedInLowerCaseWithLeadingZeros) {
  EXPECT_EQ(Digest{}.hex(), "");
  EXPECT_EQ((Digest{.bytes = {0x00, 0x0a, 0xf0, 0xff, 0x77}, .size = 4}.hex()), "000af0ff");
  EXPECT_EQ((Digest{.bytes = {0x61, 0x00, 0x62}, .size = 3}.view()), std::string_view("a\0b", 3));
}

}  // namespace
}  // namespace tidemill::hash
