// Checks one book with EPUBCheck.
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/books/judge/epubcheck.h"
#include "tidemill/jobs/books/report/book_report.h"

namespace tidemill::books {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFindings = 100'000;

std::string_view name_of_profile(epub::Profile profile) {
  switch (profile) {
    case epub::Profile::dictionary:
      return "dict";
    case epub::Profile::education:
      return "edupub";
    case epub::Profile::index:
      return "idx";
    case epub::Profile::preview:
      return "preview";
    case epub::Profile::none:
      break;
  }
  return "default";
}

bool send_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace

// The symlink is in the private folder, where no other user can create names. It keeps the
// extension, because EPUBCheck checks it.
Result<std::string> WarmEpubcheck::link_to(const std::string& path) const {
  static std::atomic<std::uint64_t> next = 0;
  std::error_code wrong;
  const fs::path target = fs::absolute(path, wrong);
  if (wrong) return fail_as("TIDE-019", wrong.message());
  const std::string end = target.extension().string();
  const bool is_plain = end.find_first_of("\n\t") == std::string::npos && end.size() < 32;
  const fs::path link =
      fs::path(folder_) / ("book-" + std::to_string(next++) + (is_plain ? end : ""));
  fs::create_symlink(target, link, wrong);
  if (wrong) return fail_as("TIDE-019", link.string() + ": " + wrong.message());
  return link.string();
}

Result<std::vector<epub::Finding>> WarmEpubcheck::ask(const std::string& path,
                                                      epub::Profile profile,
                                                      std::chrono::milliseconds patience,
                                                      const std::stop_token& stop) {
  if (pid_ < 0) {
    if (auto started = start(stop); !started) {
      end();
      return std::unexpected(std::move(started).error());
    }
  }
  LET(link_, link_to(path));
  const auto read_all = [&]() -> Result<std::vector<epub::Finding>> {
    const std::string request = std::string(name_of_profile(profile)) + "\t" + link_ + "\n";
    if (!send_all(talk_.number(), request)) {
      return fail_as("TIDE-003", "the Java process of EPUBCheck exited");
    }
    const auto until = std::chrono::steady_clock::now() + patience;
    std::vector<epub::Finding> findings;
    for (;;) {
      const auto text = line(until, stop);
      if (!text) return std::unexpected(text.error());
      if (*text == "E") return findings;
      if (!text->starts_with("M\t") || findings.size() >= kMostFindings) continue;
      epub::Finding finding = finding_of(*text);
      if (finding.place.entry == link_) finding.place.entry.clear();  // refers to the book itself
      findings.push_back(std::move(finding));
    }
  };
  auto findings = read_all();
  if (!findings) end();  // the process may still be busy with this book
  if (!link_.empty()) ::unlink(link_.c_str());
  link_.clear();
  return findings;
}

}  // namespace tidemill::books
