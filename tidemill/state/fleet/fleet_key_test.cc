#include "tidemill/state/fleet/fleet_key.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "tidemill/base/hex.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::fleet {
namespace {

using testing::OwnFolder;

const std::string kDigits = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1D1E1F";

struct KeyFiles : ::testing::Test {
  [[nodiscard]] std::string with(const std::string& text, mode_t mode = 0600) const {
    folder.file("key", text);
    EXPECT_EQ(::chmod((folder / "key").c_str(), mode), 0);
    return folder / "key";
  }
  [[nodiscard]] static FailureKind kind_of(const Result<FleetKey>& key) {
    EXPECT_FALSE(key);
    if (key) return FailureKind::other;
    EXPECT_EQ(key.error().cure, Cure::give_up);
    EXPECT_FALSE(key.error().hint.empty()) << text_of(key.error());
    return key.error().kind;
  }

  OwnFolder folder;
};

TEST_F(KeyFiles, ANewKeyIsPrivateAndRandom) {
  const mode_t before = ::umask(0);
  ASSERT_TRUE(FleetKey::create(folder / "a"));
  ::umask(before);
  ASSERT_TRUE(FleetKey::create(folder / "b"));
  struct stat file{};
  ASSERT_EQ(::stat((folder / "a").c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 07777U, 0600U);
  EXPECT_EQ(file.st_size, 65);
  const auto a = FleetKey::read(folder / "a");
  const auto b = FleetKey::read(folder / "b");
  ASSERT_TRUE(a && b);
  EXPECT_TRUE(a->is_given());
  EXPECT_NE(a->sign("parcel", "x"), b->sign("parcel", "x"));
}

TEST_F(KeyFiles, AFileIsNeverOverwritten) {
  const std::string path = with("precious");
  const auto created = FleetKey::create(path);
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().cure, Cure::give_up);
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "precious");
  ASSERT_EQ(::symlink((folder / "elsewhere").c_str(), (folder / "link").c_str()), 0);
  EXPECT_FALSE(FleetKey::create(folder / "link"));
  EXPECT_NE(::access((folder / "elsewhere").c_str(), F_OK), 0);
}

TEST_F(KeyFiles, AMissingFileIsToldApart) {
  EXPECT_EQ(kind_of(FleetKey::read(folder / "none")), FailureKind::not_found);
}

TEST_F(KeyFiles, AcceptsSixtyFourDigitsAndANewline) {
  const auto plain = FleetKey::read(with(kDigits));
  const auto line = FleetKey::read(with(kDigits + "\n"));
  const auto owner_only = FleetKey::read(with(kDigits, 0400));
  ASSERT_TRUE(plain && line && owner_only);
  EXPECT_EQ(plain->sign("p", "x"), line->sign("p", "x"));
}

TEST_F(KeyFiles, RefusesEverythingElse) {
  for (const std::string& text :
       {std::string(), std::string("\n"), kDigits.substr(1), kDigits + "0", kDigits + "\n\n",
        kDigits + "\r\n", " " + kDigits, kDigits.substr(1) + "g", std::string(1'000'000, '0')}) {
    EXPECT_EQ(kind_of(FleetKey::read(with(text))), FailureKind::usage) << text.substr(0, 70);
  }
}

TEST_F(KeyFiles, RefusesAFileThatOthersCanAccess) {
  for (const mode_t mode : {0640U, 0620U, 0610U, 0604U, 0602U, 0601U}) {
    EXPECT_EQ(kind_of(FleetKey::read(with(kDigits, mode))), FailureKind::usage) << mode;
  }
}

TEST_F(KeyFiles, RefusesAFileOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "NOT TESTED: only root can give files away";
  const std::string path = with(kDigits);
  ASSERT_EQ(::chown(path.c_str(), 12'345, 12'345), 0);
  EXPECT_EQ(kind_of(FleetKey::read(path)), FailureKind::usage);
}

TEST_F(KeyFiles, RefusesWhatIsNotAFileWithoutWaiting) {
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(kind_of(FleetKey::read(folder / "fifo")), FailureKind::usage);
  EXPECT_EQ(kind_of(FleetKey::read(folder.path())), FailureKind::usage);
}

// RFC 4231 has no vector with a key of 32 bytes; this one is of Python's hmac module.
TEST_F(KeyFiles, SignsWithHmacSha256) {
  const auto key = FleetKey::read(with(kDigits)).value();
  const std::string expected = "d838f7713865afd221bb84950b191b55f9147847e20ff16f1fd13644d51e230d";
  EXPECT_EQ(hex_of(key.sign("parcel", "some bytes")), expected);
}

TEST_F(KeyFiles, ASignatureIsOfOnePurposeAndTheseBytes) {
  const auto key = FleetKey::read(with(kDigits)).value();
  const std::string signature = key.sign("parcel", "bytes");
  EXPECT_EQ(signature.size(), 32U);
  EXPECT_TRUE(key.is_signed("parcel", "bytes", signature));
  EXPECT_FALSE(key.is_signed("report", "bytes", signature));
  EXPECT_FALSE(key.is_signed("parce", "lbytes", signature));
  EXPECT_FALSE(key.is_signed("parcel", "Bytes", signature));
  EXPECT_FALSE(key.is_signed("parcel", "bytes", ""));
  EXPECT_FALSE(key.is_signed("parcel", "bytes", signature.substr(1)));
  EXPECT_FALSE(key.is_signed("parcel", "bytes", signature + "x"));
  for (std::size_t i = 0; i < signature.size(); ++i) {
    std::string other = signature;
    other[i] = static_cast<char>(other[i] ^ 1);
    EXPECT_FALSE(key.is_signed("parcel", "bytes", other)) << i;
  }
}

TEST(NoFleetKey, SignsNothingAndAcceptsEverything) {
  const FleetKey none;
  EXPECT_FALSE(none.is_given());
  EXPECT_EQ(none.sign("parcel", "bytes"), "");
  EXPECT_TRUE(none.is_signed("parcel", "bytes", "whatever"));
}

}  // namespace
}  // namespace tidemill::fleet
