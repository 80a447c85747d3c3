#include "tidemill/state/run/run_card.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "tidemill/base/micros.h"
#include "tidemill/base/try.h"
#include "tidemill/state/journal/schema.h"

namespace tidemill::run {
namespace {

WallTime wall_time(std::string_view text) {
  std::int64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return WallTime(std::chrono::microseconds(count));
}

// Arguments cannot contain a NUL, so each one ends with one.
std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all.append(word).push_back('\0');
  return all;
}

std::vector<std::string> parted(std::string_view all) {
  std::vector<std::string> words;
  while (!all.empty()) {
    const auto end = std::min(all.find('\0'), all.size());
    words.emplace_back(all.substr(0, end));
    all.remove_prefix(std::min(end + 1, all.size()));
  }
  return words;
}

std::string tally_text(const FleetTally& tally) {
  std::string text;
  for (const std::uint64_t count : {tally.sent, tally.taken_back, tally.missing, tally.stale}) {
    text += (text.empty() ? "" : " ") + std::to_string(count);
  }
  return text;
}

FleetTally tally_in(std::string_view text) {
  FleetTally tally;
  for (std::uint64_t* const count :
       {&tally.sent, &tally.taken_back, &tally.missing, &tally.stale}) {
    const auto end = std::min(text.find(' '), text.size());
    std::from_chars(text.data(), text.data() + end, *count);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return tally;
}

}  // namespace

std::vector<journal::Note> fleet_notes_of(const RunCard& card) {
  return {{.key = "fleet", .value = card.fleet},
          {.key = "fleet_open", .value = card.is_on_fleet ? "1" : ""},
          {.key = "fleet_tally", .value = tally_text(card.fleet_tally)}};
}

std::vector<journal::Note> notes_of(const RunCard& card) {
  std::vector<journal::Note> notes = {
      {.key = "job", .value = card.job},
      {.key = "arguments", .value = joined(card.arguments)},
      {.key = "directory", .value = card.directory},
      {.key = "version", .value = card.version},
      {.key = "started", .value = std::to_string(micros(card.started))},
      {.key = "ending", .value = card.ending},
      {.key = "cause", .value = card.cause},
      {.key = "found_all", .value = card.has_found_all ? "1" : ""},
      {.key = "position", .value = card.position},
      {.key = "mark", .value = card.mark}};
  if (card.ended) notes.push_back({.key = "ended", .value = std::to_string(micros(*card.ended))});
  return notes;
}

Result<RunCard> card_of(const journal::SqliteJournal& journal) {
  RunCard card;
  std::string arguments;
  std::string started;
  std::string ended;
  std::string found_all;
  std::string fleet_open;
  std::string fleet_tally;
  const std::pair<std::string_view, std::string*> fields[] = {
      {"job", &card.job},           {"arguments", &arguments},    {"directory", &card.directory},
      {"version", &card.version},   {"started", &started},        {"ended", &ended},
      {"ending", &card.ending},     {"cause", &card.cause},       {"found_all", &found_all},
      {"position", &card.position}, {"mark", &card.mark},         {"fleet", &card.fleet},
      {"fleet_open", &fleet_open},  {"fleet_tally", &fleet_tally}};
  for (const auto& [key, field] : fields) {
    LET(auto value, journal.note(key));
    // The first commit writes all of them except `ended`, and what is about a fleet.
    if (!value && key != "ended" && !key.starts_with("fleet")) {
      return std::unexpected(Failure{
          .cure = Cure::give_up,
          .step = "open",
          .reason = "the journal is damaged or belongs to another program: it has no note '" +
                    std::string(key) + "'",
          .hint = std::string(journal::kDamageHint)});
    }
    *field = std::move(value).value_or("");
  }
  card.arguments = parted(arguments);
  card.started = wall_time(started);
  if (!ended.empty()) card.ended = wall_time(ended);
  card.has_found_all = found_all == "1";
  card.is_on_fleet = fleet_open == "1";
  card.fleet_tally = tally_in(fleet_tally);
  return card;
}

}  // namespace tidemill::run
