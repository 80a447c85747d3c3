// Runs EPUBCheck, the official checker, if it is installed: in Java processes that stay warm, one
// per worker.
//
// EPUBCheck checks one book per process, and its start takes longer than most books. Warm.java,
// which is built with the program if a Java compiler is installed, passes it one book after
// another.
//
// EPUBCheck reads hostile bytes, so it is confined (io/sandbox/program_sandbox.h): it can read the
// system's files, its own files and the books below `roots`, and write to a private folder that is
// removed with it; it has no network and none of our environment. This is weaker than a Sandbox: a
// book that compromises the process can read other books there, and lie about later ones.
//
// Failures: without Java, the jar or Warm, a Failure says what is missing. If the process dies or
// takes too long, that is a Failure of the book (TIDE-003, TIDE-004); the next book gets a new
// process.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/rules/finding.h"

namespace tidemill::books {

// What is needed to run it.
struct EpubcheckPlace {
  std::string java{};                // path of the program
  std::vector<std::string> files{};  // must be readable: folders of Java and EPUBCheck, Warm
  std::string class_path{};          // EPUBCheck, its libraries, Warm
  std::string identity{};            // changes with the jar; part of the cache key
};

// Finds the given jar or, if `jar` is empty, the first in the usual places. `share` is the folder
// of the program's own files.
[[nodiscard]] Result<EpubcheckPlace> find_epubcheck(const std::string& jar,
                                                    const std::string& share);

// One Java process. One thread.
class WarmEpubcheck {
 public:
  WarmEpubcheck(const EpubcheckPlace& place, const std::vector<std::string>& roots)
      : place_(place), roots_(roots) {}
  WarmEpubcheck(const WarmEpubcheck&) = delete;
  WarmEpubcheck& operator=(const WarmEpubcheck&) = delete;
  ~WarmEpubcheck() { end(); }

  // The findings of EPUBCheck for a book. Fails with a Failure of fail_as(), or with Cure::resume
  // when it was stopped.
  [[nodiscard]] Result<std::vector<epub::Finding>> ask(const std::string& path,
                                                       epub::Profile profile,
                                                       std::chrono::milliseconds patience,
                                                       const std::stop_token& stop);

  [[nodiscard]] const std::string& version() const {
    return version_;
  }  // empty before the first book

 private:
  [[nodiscard]] Result<void> start(const std::stop_token& stop);
  [[nodiscard]] Result<void> make_folder();
  [[nodiscard]] Result<pid_t> spawn(int talk) const;
  // Makes a symlink whose name Java can read, whatever bytes the book's own name has.
  [[nodiscard]] Result<std::string> link_to(const std::string& path) const;
  // Reads a line, without the newline.
  [[nodiscard]] Result<std::string> line(std::chrono::steady_clock::time_point until,
                                         const std::stop_token& stop);
  void end();

  const EpubcheckPlace& place_;
  const std::vector<std::string>& roots_;
  std::string folder_;  // private, exists while the process runs
  std::string version_;
  Descriptor talk_;  // our end of the socket that is its input and output
  Descriptor pidfd_;
  pid_t pid_ = -1;
  std::string unread_;
  std::string link_;  // the symlink to the current book
};

// Converts a line of Warm's output to a finding. An unknown id becomes a finding of TIDE-003 with
// the id in its detail.
[[nodiscard]] epub::Finding finding_of(std::string_view line);

}  // namespace tidemill::books
