#include "tidemill/app/runs/resume_words.h"

#include <algorithm>
#include <iterator>

#include "tidemill/formats/text/shell.h"
#include "tidemill/ui/cli/run_text.h"
#include "tidemill/ui/command/lookup.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::app {
namespace {

using command::Flag;
using command::Verb;

constexpr std::size_t kMostShown = 400;  // a command may name thousands of files

// "books check" for the job books with the argument check. Null: this program does not have the
// job.
const Verb* verb_of(const run::RunCard& card, const command::Program& program) {
  if (!card.arguments.empty()) {
    const Verb* below = command::find_verb(program, card.job + " " + card.arguments.front());
    if (below != nullptr) return below;
  }
  return command::find_verb(program, card.job);
}

// The flag of the verb that matches the offered one; null: the run does not accept it.
const Flag* taken_as(const ResumedRun& run, const Verb& verb, const Flag& offered) {
  const auto own = std::ranges::find_if(verb.flags, [&](const Flag& flag) {
    return flag.name == offered.name && flag.kind == offered.kind;
  });
  if (own == verb.flags.end()) return nullptr;
  return run.job == nullptr || run.job->takes(own->name) ? &*own : nullptr;
}

std::string hint_for(std::vector<std::string> taken) {
  if (taken.empty()) return "omit it; this run takes no flags of resume";
  std::string hint = "use --" + taken.front();
  for (std::size_t i = 1; i < taken.size(); ++i) {
    hint += (i + 1 == taken.size() ? " or --" : ", --") + taken[i];
  }
  return hint;
}

bool is_report(std::string_view name) { return name == "json" || name == "jsonl"; }

// Whether the word, as stored by a run, sets this flag.
bool is_of(std::string_view word, const std::string& flag) {
  return word == "--" + flag || word == "--no-" + flag || word.starts_with("--" + flag + "=");
}

// Flags end at "--".
std::vector<std::string> without_flags(std::span<const std::string> words,
                                       std::span<const std::string> names) {
  std::vector<std::string> kept;
  bool is_flag = true;
  for (const std::string& word : words) {
    is_flag = is_flag && word != "--";
    const bool goes = is_flag && std::ranges::any_of(names, [&](const std::string& name) {
                        return is_of(word, name);
                      });
    if (!goes) kept.push_back(word);
  }
  return kept;
}

std::vector<std::string> flags_of_call(const Verb& verb) {
  std::vector<std::string> names;
  for (const Flag& flag : verb.flags) {
    if (flag.is_of_call) names.push_back(flag.name);
  }
  return names;
}

}  // namespace

std::unexpected<Failure> unknown_job(const std::string& job) {
  return fail(Cure::give_up, job, "this program does not have this verb");
}

std::vector<std::string> taken_flags(const ResumedRun& run, std::span<const Flag> offered,
                                     const command::Program& program) {
  std::vector<std::string> taken;
  const Verb* verb = verb_of(run.card, program);
  if (verb == nullptr) return taken;
  for (const Flag& flag : offered) {
    if (taken_as(run, *verb, flag) != nullptr) taken.push_back(flag.name);
  }
  return taken;
}

Result<std::vector<std::string>> resumed_words(const ResumedRun& run, std::span<const Flag> offered,
                                               const command::Values& values,
                                               const command::Program& program) {
  const run::RunCard& card = run.card;
  const Verb* verb = verb_of(card, program);
  if (verb == nullptr) return unknown_job(card.job);
  if (values.is_on("json") && values.is_on("jsonl")) {
    return command::misuse("--json cannot be used with --jsonl");
  }
  std::vector<std::string> over;
  std::vector<std::string> replaced = flags_of_call(*verb);
  for (const Flag& flag : offered) {
    const auto typed = values.flags.find(flag.name);
    if (typed == values.flags.end()) continue;
    // A flag of the call is read by the job; here it is only shown.
    if (flag.is_of_call && typed->second.origin != command::ValueSource::command_line) continue;
    const Flag* const own = taken_as(run, *verb, flag);
    if (own == nullptr) {
      return command::misuse("--" + flag.name + " cannot be used with a run of " + card.job,
                             hint_for(taken_flags(run, offered, program)));
    }
    replaced.push_back(own->name);
    if (is_report(flag.name)) replaced.emplace_back(flag.name == "json" ? "jsonl" : "json");
    if (flag.kind == command::ValueKind::toggle) {
      over.push_back((values.is_on(flag.name) ? "--" : "--no-") + flag.name);
      continue;
    }
    for (const std::string& text : typed->second.texts) {
      over.push_back("--" + own->name + "=" + text);
    }
  }
  std::vector<std::string> words =
      without_flags(command::with_first_names(card.arguments, verb->flags), replaced);
  words.insert(std::ranges::find(words, "--"), over.begin(), over.end());
  words.insert(words.begin(), card.job);
  return words;
}

std::string resuming_text(const std::string& id, const std::vector<std::string>& words,
                          const command::Program& program) {
  std::vector<std::string> common;  // display flags, which belong to the current call
  for (const Flag& flag : program.flags) common.push_back(flag.name);
  const run::RunCard card{.job = words.front(),
                          .arguments = without_flags(std::span(words).subspan(1), common)};
  std::vector<std::string> shown = {program.name, card.job};
  std::ranges::move(cli::chosen_arguments(card, program), std::back_inserter(shown));
  std::size_t size = 0;
  const auto end = std::ranges::find_if(
      shown, [&](const std::string& word) { return (size += word.size() + 1) > kMostShown; });
  const bool is_cut = end != shown.end();
  shown.erase(end, shown.end());
  return "resuming " + id + ": " + text::shell_line(shown) + (is_cut ? " …" : "");
}

std::string unrepeatable_input(const command::Values& values) {
  const auto is_pipe = [](std::string_view name) {
    return name == "/dev/stdin" || name.starts_with("/dev/fd/") ||
           name.starts_with("/proc/self/fd/");
  };
  for (const auto& [argument, texts] : values.arguments) {
    for (const std::string& text : texts) {
      if (text == "-" || is_pipe(text)) return text;
    }
  }
  for (const auto& [flag, value] : values.flags) {
    for (const std::string& text : value.texts) {
      if (is_pipe(text) || (flag == "files-from" && text == "-")) return text;
    }
  }
  return "";
}

}  // namespace tidemill::app
