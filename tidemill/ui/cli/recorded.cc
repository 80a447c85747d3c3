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

// Without the flags that every verb has: how it is shown is another matter each time, and the
// command is the same one.
Result<run::RunCard> card_for(const Desk& desk) {
  std::error_code wrong;
  const auto here = std::filesystem::current_path(wrong);
  if (wrong) return fail(Cure::give_up, "start", "current folder: " + wrong.message());
  command::Values own = desk.values;
  for (const command::Flag& flag : desk.program.flags) own.flags.erase(flag.name);
  std::vector<std::string> arguments = own.as_arguments();
  const auto space = own.verb.find(' ');  // "books check"
  if (space != std::string::npos) arguments.insert(arguments.begin(), own.verb.substr(space + 1));
  return run::RunCard{.job = own.verb.substr(0, space),
                      .arguments = std::move(arguments),
                      .directory = here.string(),
                      .version = desk.program.version};
}

Result<CommandRecord> begin(const Desk& desk, std::string_view name) {
  LET(auto card, card_for(desk));
  return CommandRecord::begin(desk.state, name, std::move(card), desk.clock);
}

// The first of a signal's exit codes: 128 and its number.
constexpr int kSignals = 128;

}  // namespace

std::string Recording::way_on() const {
  if (!record_) return "the same command";
  const run::RunFolder& folder = record_->folder();
  return folder.program() + " resume " + text::printable(folder.id());
}

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
  if (command::is_reader_gone(failure)) {  // there is nothing to go on with: nobody wants it
    (void)record_->finish();
    return;
  }
  const bool has_begun = failure.kind != FailureKind::usage && failure.kind != FailureKind::held;
  (void)(has_begun || !is_new ? record_->end(run::kFailed, text_of(failure)) : record_->finish());
}

Result<int> recorded(Desk& desk, command::Console& console, std::string_view name,
                     const std::function<Result<int>(Recording&)>& work) {
  Recording recording;
  if (desk.resumed) {
    LET(auto record, CommandRecord::open(desk.state, desk.resumed->folder, desk.clock));
    console.say(Tone::plain, desk.resumed->line);
    recording = Recording(std::move(record));
  } else if (auto record = begin(desk, name)) {
    recording = Recording(*std::move(record));
  } else {
    console.say(Tone::warning, "This command cannot be listed by runs or resumed: " +
                                   text::printable(text_of(record.error())));
  }
  auto outcome = work(recording);
  recording.settle(outcome, !desk.resumed);
  return outcome;
}

}  // namespace tidemill::cli
