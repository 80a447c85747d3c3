#include "tidemill/formats/pdf/edges.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/formats/pdf/fd_source.h"

namespace tidemill::pdf {
namespace {

constexpr std::size_t kHeaderWithin = 1024;    // readers look no further
constexpr std::size_t kEndWithin = 1U << 20U;  // beyond it, it is no end of a PDF but another file

constexpr std::array<std::string_view, 9> kVersions = {"1.0", "1.1", "1.2", "1.3", "1.4",
                                                       "1.5", "1.6", "1.7", "2.0"};

std::string read_piece(int fd, std::uint64_t offset, std::size_t length) {
  std::string piece(length, '\0');
  std::size_t done = 0;
  while (done < length) {
    const ssize_t got =
        ::pread(fd, piece.data() + done, length - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  piece.resize(done);
  return piece;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_blank(char c) {
  return c == '\0' || c == '\t' || c == '\n' || c == '\f' || c == '\r' || c == ' ';
}

// "1.7" of "%PDF-1.7"; nothing when no digits follow.
std::string version_after(std::string_view text) {
  std::string version;
  for (const char c : text.substr(0, 8)) {
    if (!is_digit(c) && c != '.') break;
    version += c;
  }
  return version;
}

void check_header(int fd, Report& report) {
  const std::string head = read_piece(fd, 0, kHeaderWithin);
  const std::size_t at = head.find("%PDF-");
  if (at == std::string::npos) {
    report.findings.push_back({.code = Code::no_header, .text = "no %PDF- in the first bytes"});
    return;
  }
  report.version = version_after(std::string_view(head).substr(at + 5));
  if (at > 0) {
    report.findings.push_back({.code = Code::bytes_around,
                               .offset = 0,
                               .text = std::to_string(at) + " bytes before the header"});
  }
  if (std::ranges::find(kVersions, report.version) == kVersions.end()) {
    report.findings.push_back(
        {.code = Code::unusual_header, .offset = at, .text = "version '" + report.version + "'"});
  }
}

void check_end(int fd, Report& report) {
  const std::uint64_t size = size_of(fd);
  const std::uint64_t from = size > kEndWithin ? size - kEndWithin : 0;
  const std::string tail = read_piece(fd, from, static_cast<std::size_t>(size - from));
  const std::size_t at = tail.rfind("%%EOF");
  if (at == std::string::npos) {
    report.findings.push_back(
        {.code = Code::truncated, .offset = size, .text = "no %%EOF at the end"});
    return;
  }
  const std::string_view rest = std::string_view(tail).substr(at + 5);
  if (std::ranges::all_of(rest, is_blank)) return;
  report.findings.push_back({.code = Code::bytes_around,
                             .offset = from + at + 5,
                             .text = std::to_string(rest.size()) + " bytes after the end"});
}

}  // namespace

void check_edges(int fd, Report& report) {
  check_header(fd, report);
  check_end(fd, report);
}

}  // namespace tidemill::pdf
