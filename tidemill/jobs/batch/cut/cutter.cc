#include "tidemill/jobs/batch/cut/cutter.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "tidemill/base/hex.h"
#include "tidemill/io/hash/hasher.h"

namespace tidemill::batch {
namespace {

std::string uuid_of(const hash::Digest& digest) {
  std::array<unsigned char, 16> bytes{};
  std::copy_n(digest.bytes.begin(), bytes.size(), bytes.begin());
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0fU) | 0x80U);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3fU) | 0x80U);
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    append_hex(text, bytes[i]);
  }
  return text;
}

void append_number(std::string& text, std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) text += static_cast<char>(number >> shift);
}

}  // namespace

std::uint64_t limit_of(std::uint64_t max_tokens, std::uint64_t overhead, double margin) {
  if (overhead >= max_tokens) return 1;
  const std::uint64_t left = max_tokens - overhead;
  if (margin >= 1) return left;
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::floor(static_cast<double>(left) * margin)));
}

// Every part is preceded by its length, so different lists of files never give the same bytes.
std::string id_of(std::string_view job, const std::vector<Weighed>& files) {
  std::string text;
  append_number(text, job.size());
  text += job;
  for (const Weighed& file : files) {
    append_number(text, file.root);
    append_number(text, file.path.size());
    text += file.path;
    append_number(text, file.tokens);
    text.append(file.digest.begin(), file.digest.end());
  }
  auto hasher = hash::Hasher::make(hash::Algorithm::sha256);
  if (!hasher) return {};  // SHA-256 is not available
  return uuid_of(hasher->of(std::as_bytes(std::span(text))));
}

Batch Cutter::close() {
  open_.id = id_of(job_, open_.files);
  open_.is_oversize = open_.cost > limits_.cost;
  return std::exchange(open_, Batch{});
}

std::optional<Batch> Cutter::flush() {
  if (open_.files.empty()) return std::nullopt;
  return close();
}

std::optional<Batch> Cutter::add(Weighed file) {
  std::optional<Batch> full;
  const bool passes = file.cost > limits_.cost || open_.cost > limits_.cost - file.cost;
  if (!open_.files.empty() && (passes || open_.files.size() >= limits_.files)) full = close();
  open_.tokens += file.tokens;
  open_.cost += file.cost;
  open_.files.push_back(std::move(file));
  return full;
}

}  // namespace tidemill::batch
