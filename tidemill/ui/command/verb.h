// Verb: the description of one command of the program. Parsing, --help, the man page, completions,
// the config file and the environment all use this description; there is no second list of flags.
//
// Plain values: a job builds its Verb in one function and reads the result from Values. %program in
// a text stands for the name of the program (program_name.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tidemill::command {

class Values;

// The kind of a value. It is checked when the command line is parsed, so a verb only sees valid
// values.
enum class ValueKind : std::uint8_t {
  toggle,    // no value on the command line; true or false elsewhere
  text,      // any bytes
  count,     // a whole number from 0
  duration,  // 250ms, 30s, 5m, 2h, 1d; a bare number is seconds
  size,      // 4096, 64K, 10M, 2G: powers of 1024
  rate,      // 10/s, 600/m, 5000/h
  choice,    // one of Flag::choices
  path,      // of a file or folder; completed by the shell
  run,       // a run: its id, the beginning of one, last or last-JOB; completed by the program
};

struct Flag {
  std::string name{};                  // "jobs": --jobs, TIDEMILL_JOBS, jobs = in tidemill.toml
  char letter = 0;                     // -j
  std::vector<std::string> aliases{};  // other accepted names: "workers", "w" for -w
  ValueKind kind = ValueKind::toggle;
  std::string metavar{};               // "N"
  std::string help{};                  // a noun phrase or an imperative, without a full stop
  std::string fallback{};              // the default, as typed; empty: none
  std::string fallback_text{};         // how help names the default when it is computed: "all CPUs"
  std::vector<std::string> choices{};  // of ValueKind::choice
  bool is_list = false;                // may be given several times
  bool is_configurable = true;         // false: on the command line only (--dry-run, --help)
  std::string group{};                 // the heading in help; empty: "Options"
  std::string least{};                 // of a count, duration, size or rate, as typed; empty: none
  std::string most{};
  bool is_for_work = false;  // flag of the program: only for verbs with `works`
  bool is_basic = false;     // shown by -h; --help shows all
  // It says where the work of this call is done: `resume` does not keep it, and reads its own.
  bool is_of_call = false;
};

struct Argument {
  std::string name{};  // "ROOT"
  std::string help{};
  ValueKind kind = ValueKind::path;
  std::vector<std::string> choices{};  // of ValueKind::choice
  bool is_required = false;
  bool is_list = false;
  bool is_after_dashes = false;  // everything after "--", unchanged: a command and its arguments
};

struct Example {
  Example(std::string a_line, std::string a_text)
      : line(std::move(a_line)), text(std::move(a_text)) {}

  std::string line;  // without the prompt
  std::string text;  // what it does
};

struct Verb {
  std::string name{};                  // "each"; of a subverb "books check"
  std::vector<std::string> aliases{};  // other accepted names; not for subverbs
  std::string summary{};               // one line
  std::vector<std::string> usage{};    // "tidemill each [ROOT…] [OPTIONS] -- COMMAND [ARGS…]"
  std::vector<Example> examples{};
  std::vector<std::string> description{};  // paragraphs
  std::vector<Argument> arguments{};
  std::vector<Flag> flags{};
  std::vector<std::pair<std::string, std::string>> sections{};  // further sections: title, text
  std::vector<Verb> below{};                                    // subverbs
  bool works = false;  // processes many items: has progress, a screen and a log
  // Whether it writes to standard output while it runs. Null: never.
  bool (*prints_meanwhile)(const Values& values) = nullptr;
};

// The program: its verbs, and the flags that all verbs, or all verbs with `works`, accept.
struct Program {
  std::string name{};  // "tidemill"
  std::string version{};
  std::string summary{};
  std::vector<std::string> description{};
  std::vector<Example> examples{};
  std::vector<Flag> flags{};
  std::vector<Verb> verbs{};
  std::vector<std::pair<int, std::string>> exits{};  // the only table of exit codes
};

}  // namespace tidemill::command
