#include "tidemill/state/run/command_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/micros.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"

namespace tidemill::run {
namespace {

constexpr std::string_view kFormat = "1";

std::unexpected<Failure> failed(const std::string& path, int error) {
  return fail(Cure::give_up, "record", path + ": " + system_text(error));
}

void add(std::string& text, std::string_view key, std::string_view value) {
  text.append(key).append("=").append(value).push_back('\0');
}

// Each field ends with a NUL, which no argument and no path can contain. The field "end" shows that
// the card is complete.
std::string text_of(const RunCard& card) {
  std::string text;
  add(text, "format", kFormat);
  add(text, "job", card.job);
  for (const std::string& argument : card.arguments) add(text, "argument", argument);
  add(text, "directory", card.directory);
  add(text, "version", card.version);
  add(text, "started", std::to_string(micros(card.started)));
  if (card.ended) add(text, "ended", std::to_string(micros(*card.ended)));
  add(text, "ending", card.ending);
  add(text, "cause", card.cause.substr(0, card.cause.find('\0')));
  add(text, "end", "");
  return text;
}

WallTime time_of(std::string_view text) {
  std::int64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return WallTime(std::chrono::microseconds(count));
}

// False: an unknown key, perhaps of a later version.
bool take(RunCard& card, std::string_view key, std::string_view value) {
  if (key == "job")
    card.job = value;
  else if (key == "argument")
    card.arguments.emplace_back(value);
  else if (key == "directory")
    card.directory = value;
  else if (key == "version")
    card.version = value;
  else if (key == "started")
    card.started = time_of(value);
  else if (key == "ended")
    card.ended = time_of(value);
  else if (key == "ending")
    card.ending = value;
  else if (key == "cause")
    card.cause = value;
  else
    return false;
  return true;
}

Result<RunCard> card_in(std::string_view text, const std::string& path) {
  RunCard card;
  bool is_whole = false;
  bool is_known = false;
  while (!text.empty() && !is_whole) {
    const auto end = text.find('\0');
    if (end == std::string_view::npos) break;  // truncated
    const std::string_view field = text.substr(0, end);
    text.remove_prefix(end + 1);
    const std::string_view key = field.substr(0, field.find('='));
    const std::string_view value = field.substr(std::min(field.size(), key.size() + 1));
    if (key == "format") is_known = value == kFormat;
    is_whole = key == "end";
    (void)take(card, key, value);
  }
  if (is_whole && !is_known) {
    return fail(Cure::give_up, "record", path + ": written by a newer version of the program");
  }
  if (!is_whole || card.job.empty()) {
    return fail(Cure::give_up, "record", path + ": the command record is damaged");
  }
  return card;
}

Result<void> write_to(int descriptor, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed(path, errno);
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Result<void> write_card(const RunFolder& folder, const RunCard& card) {
  const std::string part = folder.command() + ".part";
  const Descriptor file(
      ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return failed(part, errno);
  TRY(write_to(file.number(), text_of(card), part));
  if (::rename(part.c_str(), folder.command().c_str()) != 0) return failed(part, errno);
  return {};
}

}  // namespace

Result<RunCard> card_of_record(const RunFolder& folder) {
  const std::string path = folder.command();
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.is_open()) return failed(path, errno);
  std::string text;
  std::array<char, 4096> part{};
  while (true) {
    const ssize_t got = ::read(file.number(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(path, errno);
    if (got == 0) return card_in(text, path);
    text.append(part.data(), static_cast<std::size_t>(got));
  }
}

Result<CommandRecord> CommandRecord::begin(const StateFolder& state, std::string_view name,
                                           RunCard card, const Clock& clock) {
  LET(const RunFolder folder, state.create(name, clock.wall()));
  auto record = begin_in(state, folder, std::move(card), clock);
  std::error_code ignored;
  if (!record) std::filesystem::remove_all(folder.path(), ignored);
  if (record) record->remove_older(name);
  return record;
}

Result<CommandRecord> CommandRecord::begin_in(const StateFolder& state, const RunFolder& folder,
                                              RunCard card, const Clock& clock) {
  LET(auto lock, RunLock::take(folder.lock(), clock.wall()));
  CommandRecord record(state, folder, std::move(lock), clock);
  card.started = clock.wall();
  card.ending = kRunning;
  TRY(write_card(folder, card));
  record.card_ = std::move(card);
  return record;
}

Result<CommandRecord> CommandRecord::open(const StateFolder& state, const RunFolder& folder,
                                          const Clock& clock) {
  LET(auto lock, RunLock::take(folder.lock(), clock.wall()));
  CommandRecord record(state, folder, std::move(lock), clock);
  LET(record.card_, card_of_record(folder));
  record.card_.ending = kRunning;
  record.card_.ended.reset();
  record.card_.cause.clear();
  TRY(write_card(folder, record.card_));
  return record;
}

// Ignores failures: a record that cannot be removed stays listed, which is harmless.
void CommandRecord::remove_older(std::string_view name) const {
  const auto folders = state_.list(name);
  if (!folders) return;
  std::size_t kept = 0;
  for (const RunFolder& folder : *folders) {
    if (folder == folder_ || !folder.is_record()) continue;
    const auto card = card_of_record(folder);
    const bool is_same =
        card && card->arguments == card_.arguments && card->directory == card_.directory;
    if (!is_same && ++kept < kMostRecords) continue;
    const auto holder = is_held(folder.lock());
    if (holder && !*holder) (void)state_.remove(folder.id(), clock_->wall());
  }
}

Result<void> CommandRecord::end(std::string_view how, std::string_view cause) {
  if (is_finished_) return {};
  card_.ending = how;
  card_.cause = cause;
  card_.ended = clock_->wall();
  return write_card(folder_, card_);
}

Result<void> CommandRecord::finish() {
  if (is_finished_) return {};
  is_finished_ = true;
  if (::access(folder_.history().c_str(), F_OK) == 0) {
    card_.ending = kComplete;
    card_.cause.clear();
    card_.ended = clock_->wall();
    if (write_card(folder_, card_) && state_.keep_finished(folder_, kMostFinished)) return {};
  }
  auto removed = state_.remove_own(folder_);
  if (removed) return {};
  card_.ending = kComplete;
  card_.ended = clock_->wall();
  (void)write_card(folder_, card_);  // fails if the folder was renamed before the removal failed
  return removed;
}

}  // namespace tidemill::run
