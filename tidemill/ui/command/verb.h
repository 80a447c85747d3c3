// Verb: one command of the program, described once. Parsing, --help, the man page, completions, the
// config file and the environment all come from this description; there is no second list of flags.
//
// Plain values: a job builds its Verb in one function and reads the answers from Values. %program
// in a text is the name of the program, whichever has the verb (program_name.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tidemill::command {

class Values;

// What a value is. It is checked when the command line is read, so a verb only ever sees values
// that make sense.
enum class Kind : std::uint8_t {
  toggle,    // no value on the command line; true or false elsewhere
  text,      // any bytes
  count,     // a whole number from 0
  duration,  // 250ms, 30s, 5m, 2h, 1d; a bare number is seconds
  size,      // 4096, 64K, 10M, 2G: powers of 1024
  rate,      // 10/s, 600/m, 5000/h
  choice,    // one of Flag::choices
  path,      // of a file or folder; completed by the shell
  run,  // the name of a run: an id, the beginning of one, last; completed from the state folder
};

struct Flag {
  std::string name{};                  // "jobs": --jobs, TIDEMILL_JOBS, jobs = in tidemill.toml
  char letter = 0;                     // -j
  std::vector<std::string> aliases{};  // other names that are accepted: "workers", "w" for -w
  Kind kind = Kind::toggle;
  std::string metavar{};               // "N"
  std::string help{};                  // a noun phrase or an imperative, without a full stop
  std::string fallback{};              // the default as it would be typed; empty: none
  std::string fallback_text{};         // how help names the default when it is computed: "all CPUs"
  std::vector<std::string> choices{};  // of Kind::choice
  bool is_list = false;                // may be given several times
  bool is_configurable = true;         // false: on the command line only (--dry-run, --help)
  std::string group{};                 // the heading in help; empty: "Options"
  std::string least{};                 // of a count, duration, size or rate, as typed; empty: none
  std::string most{};
  bool is_for_work = false;  // of a flag of the program: only for verbs that work
  bool is_basic = false;     // shown by -h; --help shows all
};

struct Argument {
  std::string name{};  // "ROOT"
  std::string help{};
  Kind kind = Kind::path;
  std::vector<std::string> choices{};  // of Kind::choice
  bool is_required = false;
  bool is_list = false;
  bool is_after_dashes = false;  // everything after "--", untouched: a command and its arguments
};

struct Example {
  Example(std::string a_line, std::string a_text)
      : line(std::move(a_line)), text(std::move(a_text)) {}

  std::string line;  // without the prompt
  std::string text;  // what it does
};

struct Verb {
  std::string name{};                  // "each"; of a verb below another one "books check"
  std::vector<std::string> aliases{};  // other names that are accepted; never of a verb below
  std::string summary{};               // one line
  std::vector<std::string> usage{};    // "tidemill each [ROOT…] [OPTIONS] -- COMMAND [ARGS…]"
  std::vector<Example> examples{};
  std::vector<std::string> description{};  // paragraphs
  std::vector<Argument> arguments{};
  std::vector<Flag> flags{};
  std::vector<std::pair<std::string, std::string>> sections{};  // more man page: title, text
  std::vector<Verb> below{};                                    // its own verbs, if it has any
  bool works = false;  // through many items: it has progress to show, a screen and a log
  // Whether it writes to standard output while it works. Null: never.
  bool (*prints_meanwhile)(const Values& values) = nullptr;
};

// The whole program: its verbs, and the flags that every verb understands, or every one that
// works.
struct Program {
  std::string name{};  // "tidemill"
  std::string version{};
  std::string summary{};
  std::vector<std::string> description{};
  std::vector<Example> examples{};
  std::vector<Flag> flags{};
  std::vector<Verb> verbs{};
  std::vector<std::pair<int, std::string>> exits{};  // the one table of exit codes
};

}  // namespace tidemill::command
