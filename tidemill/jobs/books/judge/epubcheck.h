// EPUBCheck, the official judge, where it is installed: in virtual machines that stay warm, one for
// each worker.
//
// EPUBCheck takes one book a process, and starting takes longer than most books. Warm.java, which
// is built with the program when there is a Java compiler, hands one book after the other to it.
//
// It reads hostile bytes, so it runs behind walls (io/sandbox/program_walls.h): it reads the
// system's files, its own and the books below `roots`, writes to a private folder that goes with
// it, has no network and none of our environment. The walls are lower than a cell's: a book that
// takes it over can read other books there, and lie about those that come after it.
//
// How it fails: without Java, the jar or Warm a Failure says what is missing. A machine that dies,
// or takes too long for a book, is that book's Failure (TIDE-003, TIDE-004); the next book gets a
// new one.
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
  std::string java{};                // the program
  std::vector<std::string> files{};  // what it has to read: folders of Java and of EPUBCheck, Warm
  std::string class_path{};          // EPUBCheck, its libraries, Warm
  std::string identity{};            // another one when the jar is another: its reports are others
};

// The jar that was named, or the first of the usual ones. `share` is the folder of the program's
// own files.
[[nodiscard]] Result<EpubcheckPlace> find_epubcheck(const std::string& jar,
                                                    const std::string& share);

// One virtual machine. One thread.
class WarmEpubcheck {
 public:
  WarmEpubcheck(const EpubcheckPlace& place, const std::vector<std::string>& roots)
      : place_(place), roots_(roots) {}
  WarmEpubcheck(const WarmEpubcheck&) = delete;
  WarmEpubcheck& operator=(const WarmEpubcheck&) = delete;
  ~WarmEpubcheck() { end(); }

  // What it says of a book. Fails with the step of a rule; with Cure::resume when it was stopped.
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
  // A name that Java can read, whatever the book's own name is made of.
  [[nodiscard]] Result<std::string> link_to(const std::string& path) const;
  // A line without its end.
  [[nodiscard]] Result<std::string> line(std::chrono::steady_clock::time_point until,
                                         const std::stop_token& stop);
  void end();

  const EpubcheckPlace& place_;
  const std::vector<std::string>& roots_;
  std::string folder_;  // its own, for as long as it runs
  std::string version_;
  Descriptor talk_;  // our end of its input and output
  Descriptor pidfd_;
  pid_t pid_ = -1;
  std::string unread_;
  std::string link_;  // the name under which a book is handed over
};

// A line of Warm's as a finding; nothing: it is none that counts (an id that is not known here says
// so in its detail).
[[nodiscard]] epub::Finding finding_of(std::string_view line);

}  // namespace tidemill::books
