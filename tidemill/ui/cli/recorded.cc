#include "tidemill/ui/cli/recorded.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/ui/cli/exit_code.h"

namespace tidemill::cli {
namespace {

using command::Tone;
using run::CommandRecord;

// Without the flags that every verb has: they only say how a command is shown, and may differ each
// time.
Result<run::RunCard> card_for(const CliContext& cli) {
  std::error_code wrong;
  const auto here = std::filesystem::current_path(wrong);
  if (wrong) return fail(Cure::give_up, "start", "current folder: " + wrong.message());
  command::Values own = cli.values;
  for (const command::Flag& flag : cli.program.flags) own.flags.erase(flag.name);
  std::vector<std::string> arguments = own.as_arguments();
  const auto space = own.verb.find(' ');  // "books check"
  if (space != std::string::npos) arguments.insert(arguments.begin(), own.verb.substr(space + 1));
  return run::RunCard{.job = own.verb.substr(0, space),
                      .arguments = std::move(arguments),
                      .directory = here.string(),
                      .version = cli.program.version};
}

Result<CommandRecord> begin(const CliContext& cli, std::string_view name) {
  LET(auto card, card_for(cli));
  return CommandRecord::begin(cli.state, name, std::move(card), cli.clock);
}

// The exit code of a signal is 128 plus its number.
constexpr int kSignals = 128;

}  // namespace

Recording::Recording(std::optional<run::CommandRecord> record) : record_(std::move(record)) {
  if (record_) history_ = std::make_unique<history::HistoryFile>(record_->folder().history());
}

std::string Recording::resume_command() const {
  if (!record_) return "the same command";
  const run::RunFolder& folder = record_->folder();
  return folder.program() + " resume " + text::printable(folder.id());
}

std::string Recording::id() const { return record_ ? record_->folder().id() : ""; }

void Recording::hand_over() {
  if (record_) (void)record_->finish();
}

void Recording::settle(const Result<int>& outcome, bool is_new) {
  if (!record_) return;
  if (outcome) {
    const bool is_signal = *outcome > kSignals && *outcome != kReaderGone;
    (void)(is_signal ? record_->end(run::kInterrupted) : record_->finish());
    return;
  }
  const Failure& failure = outcome.error();
  if (command::is_reader_gone(failure)) {  // the reader has seen enough: nothing to resume
    (void)record_->finish();
    return;
  }
  const bool has_begun = failure.kind != FailureKind::usage && failure.kind != FailureKind::held;
  (void)(has_begun || !is_new ? record_->end(run::kFailed, text_of(failure)) : record_->finish());
}

Result<int> recorded(CliContext& cli, command::Console& console, std::string_view name,
                     const std::function<Result<int>(Recording&)>& work) {
  Recording recording;
  if (cli.resumed) {
    LET(auto record, CommandRecord::open(cli.state, cli.resumed->folder, cli.clock));
    console.say(Tone::plain, cli.resumed->line);
    recording = Recording(std::move(record));
  } else if (auto record = begin(cli, name)) {
    recording = Recording(*std::move(record));
  } else {
    console.say(Tone::warning, "This command cannot be listed by runs or resumed: " +
                                   text::printable(text_of(record.error())));
  }
  auto outcome = work(recording);
  recording.settle(outcome, !cli.resumed);
  return outcome;
}

}  // namespace tidemill::cli
