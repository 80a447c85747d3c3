#include "tidemill/state/fleet/redis_fleet.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "tidemill/base/bytes.h"
#include "tidemill/base/try.h"
#include "tidemill/state/fleet/fleet_scripts.h"
#include "tidemill/state/fleet/packing.h"
#include "tidemill/state/fleet/run_seal.h"

namespace tidemill::fleet {
namespace {

using engine::FleetEpoch;
using engine::FleetParcel;
using engine::ParcelId;
using engine::ParcelReport;
using engine::ReportId;
using engine::TakenParcel;
using engine::WorkerCard;
using redis::Reply;
using std::chrono::milliseconds;

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kPage = 100;         // of parcels, with their tasks
constexpr std::size_t kIdsAtOnce = 1'000;  // that a script gets or returns
constexpr std::size_t kBytesAtOnce = std::size_t{1} << 20U;
constexpr std::uint64_t kMostReportBytes = std::uint64_t{16} << 20U;  // in one answer
// A worker that holds nothing is removed from the group after so many terms.
constexpr int kTermsOfAnIdleWorker = 10;

using Words = std::vector<std::string_view>;

bool is_of_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

// XADD: the last id of the stream is not below ours, or is the highest there can be.
bool is_refused_id(std::string_view error) {
  return error.starts_with("ERR The ID specified in XADD") ||
         error.starts_with("ERR The stream has exhausted");
}

std::uint64_t size_of(const ParcelReport& report) {
  std::uint64_t size = 0;
  for (const engine::TaskReport& task : report.tasks) size += sizeof task + task.text.size();
  return size;
}

Words words_of(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

template <class Id>
std::vector<std::string> entry_ids_of(std::span<const Id> ids) {
  std::vector<std::string> texts;
  texts.reserve(ids.size());
  for (const Id id : ids) texts.push_back(entry_id_of(id));
  return texts;
}

}  // namespace

Result<void> check_name(const std::string& fleet) {
  if (!fleet.empty() && fleet.size() <= kLongestName && std::ranges::all_of(fleet, is_of_a_name)) {
    return {};
  }
  return std::unexpected(
      Failure{.cure = Cure::give_up,
              .kind = FailureKind::usage,
              .step = "fleet",
              .reason = "invalid fleet name: " + fleet,
              .hint = "use at most 64 letters, digits, dots, dashes and underscores"});
}

struct RedisFleet::State {
  State(std::unique_ptr<redis::Client> a_client, FleetPlace a_place, milliseconds a_timeout)
      : client(std::move(a_client)),
        place(std::move(a_place)),
        timeout(a_timeout),
        keys(place.fleet, place.run),
        seal(place.fleet, place.run, place.key) {}

  // So many that they fit into memory, if they are as large as those before.
  [[nodiscard]] std::size_t reports_at_once() const {
    return std::max<std::size_t>(kMostReportBytes / std::max<std::uint64_t>(report_bytes, 1), 1);
  }
  void note_size(std::size_t reports, std::uint64_t bytes) {
    if (reports > 0) report_bytes = bytes / reports;
  }

  // Calls a script that only the newest epoch may run.
  [[nodiscard]] Result<Reply> run_fenced(const redis::Script& script, const Words& named,
                                         const Words& more = {}) {
    const std::string own = std::to_string(epoch);
    Words arguments = {own};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_script(*client, script, named, arguments);
  }
  [[nodiscard]] Result<Reply> run(const redis::Script& script, const Words& named,
                                  const Words& arguments) {
    return run_script(*client, script, named, arguments);
  }

  // Whoever finds an entry that is not valid goes on without it: if it cannot be removed now, it
  // will be the next time.
  [[nodiscard]] Result<void> reject(const redis::Script& script, const Words& named,
                                    const std::vector<std::string>& ids) {
    if (ids.empty()) return {};
    const auto removed = run_fenced(script, named, words_of(ids));
    if (removed) {
      forged += static_cast<std::uint64_t>(std::max<std::int64_t>(removed->number, 0));
      return {};
    }
    const Failure& failure = removed.error();
    if (failure.cure == Cure::retry || failure.kind == FailureKind::superseded) return {};
    return std::unexpected(failure);
  }

  // Two plain commands: passing large reports through a script would double what they cost.
  [[nodiscard]] Result<Reply> reports_from(const std::string& from, std::size_t limit) const {
    redis::Commands commands;
    commands.add({"XPENDING", keys.parcels, kGroup, "-", "+", "1"});
    commands.add({"XRANGE", keys.reports, from, "+", "COUNT", std::to_string(limit)});
    LET(auto replies, client->ask(commands, {}));
    if (replies.size() != 2) return std::unexpected(strange_reply(*client));
    for (const Reply& reply : replies) {
      if (!reply.is_error()) continue;
      if (reply.text.starts_with("NOGROUP")) return std::unexpected(unknown_run(*client));
      return std::unexpected(redis::failure_of(reply.text, client->server()));
    }
    return std::move(replies[1]);
  }

  [[nodiscard]] Result<void> send(const redis::Commands& commands);
  [[nodiscard]] Result<void> explain_refused_id();

  const std::unique_ptr<redis::Client> client;
  const FleetPlace place;
  const milliseconds timeout;
  const FleetRunKeys keys;
  const RunSeal seal;
  FleetEpoch epoch = 0;
  std::uint64_t forged = 0;
  std::uint64_t report_bytes = 0;  // of one, on average, in the last answer
};

Result<std::unique_ptr<RedisFleet>> RedisFleet::make(redis::ClientOptions client, FleetPlace place,
                                                     const Clock& clock) {
  TRY(check_name(place.fleet));
  if (client.home.empty()) client.home = FleetRunKeys(place.fleet, place.run).parcels;
  const milliseconds timeout = client.timeout;
  LET(auto made, redis::Client::make(std::move(client), clock));
  return std::unique_ptr<RedisFleet>(
      new RedisFleet(std::make_unique<State>(std::move(made), std::move(place), timeout)));
}

RedisFleet::RedisFleet(std::unique_ptr<State> state) : state_(std::move(state)) {}
RedisFleet::~RedisFleet() = default;

std::uint64_t RedisFleet::forged() const { return state_->forged; }

Result<FleetEpoch> RedisFleet::open(FleetEpoch known) {
  State& s = *state_;
  if (known >= kMostEpoch) {
    return fail(Cure::give_up, FailureKind::corrupt, "fleet",
                "epoch " + std::to_string(known) + " of the journal is too large");
  }
  LET(const auto reply,
      s.run(open_script(), {s.keys.parcels, s.keys.epoch}, {std::to_string(known)}));
  const auto opened = parcel_id_of(reply.text + "-0");
  if (!opened) return std::unexpected(strange_reply(*s.client));
  s.epoch = opened->epoch;
  return s.epoch;
}

Result<void> RedisFleet::send(std::span<const FleetParcel> parcels) {
  State& s = *state_;
  redis::Commands commands;
  for (const FleetParcel& parcel : parcels) {
    const std::string tasks = pack(parcel.tasks);
    // NOMKSTREAM: only open() recreates the stream, because an empty one would accept any epoch.
    commands.add({"XADD", s.keys.parcels, "NOMKSTREAM", entry_id_of(parcel.id), "t", tasks, "m",
                  s.seal.sign(parcel.id, tasks)});
    if (commands.bytes().size() < kBytesAtOnce) continue;
    TRY(s.send(commands));
    commands.clear();
  }
  return s.send(commands);
}

Result<void> RedisFleet::State::send(const redis::Commands& commands) {
  if (commands.size() == 0) return {};
  LET(const auto replies, client->ask(commands, {}));
  for (const Reply& reply : replies) {
    if (reply.is_nil()) return std::unexpected(unknown_run(*client));
    if (!reply.is_error()) continue;
    if (is_refused_id(reply.text)) return explain_refused_id();
    return std::unexpected(redis::failure_of(reply.text, client->server()));
  }
  return {};
}

// The last id is above ours: by a newer epoch, or by an entry that is not of a dispatcher. In the
// second case a new epoch leaves it behind.
Result<void> RedisFleet::State::explain_refused_id() {
  LET(const auto stored, client->call({"GET", keys.epoch}));
  const auto newest = parcel_id_of(stored.text + "-0");
  const bool is_superseded = newest && newest->epoch > epoch;
  return std::unexpected(is_superseded ? superseded_run(*client) : unknown_run(*client));
}

Result<std::vector<FleetParcel>> RedisFleet::parcels() {
  State& s = *state_;
  const std::string most = std::to_string(kPage);
  std::vector<FleetParcel> all;
  std::string from = "-";
  while (true) {
    LET(const auto page, s.run(parcels_script(), {s.keys.parcels}, {from, most}));
    if (page.items.size() != 2) return std::unexpected(strange_reply(*s.client));
    const auto& entries = page.items[0].items;
    const auto& holders = page.items[1].items;
    std::map<std::string_view, std::string_view> holder_of;
    for (std::size_t i = 0; i + 1 < holders.size(); i += 2) {
      holder_of.emplace(holders[i].text, holders[i + 1].text);
    }
    auto opened = open_parcels(s.seal, page.items[0]);
    for (FleetParcel& parcel : opened.valid) {
      const auto held = holder_of.find(entry_id_of(parcel.id));
      if (held != holder_of.end()) parcel.holder = held->second;
      all.push_back(std::move(parcel));
    }
    TRY(s.reject(reject_parcels_script(), {s.keys.parcels, s.keys.epoch, s.keys.forged},
                 opened.invalid));
    if (entries.size() < kPage) return all;
    from = "(" + std::string(entry_id_of(entries.back()));
  }
}

Result<std::vector<ParcelId>> RedisFleet::missing(std::span<const ParcelId> ids) {
  State& s = *state_;
  std::vector<ParcelId> all;
  do {  // once even for none: an unknown run is a failure
    const auto some = ids.first(std::min(ids.size(), kIdsAtOnce));
    ids = ids.subspan(some.size());
    const auto [lowest, highest] = std::ranges::minmax_element(some);
    const std::string low = some.empty() ? "-" : entry_id_of(*lowest);
    const std::string high = some.empty() ? "+" : entry_id_of(*highest);
    const auto texts = entry_ids_of(some);
    Words arguments = {low, high};
    arguments.insert(arguments.end(), texts.begin(), texts.end());
    LET(const auto reply, s.run(missing_script(), {s.keys.parcels, s.keys.reports}, arguments));
    for (const Reply& item : reply.items) {
      if (const auto id = parcel_id_of(item.text)) all.push_back(*id);
    }
  } while (!ids.empty());
  return all;
}

Result<std::vector<ParcelReport>> RedisFleet::reports(std::size_t limit) {
  State& s = *state_;
  std::vector<ParcelReport> oldest;
  std::uint64_t bytes = 0;
  std::string from = "-";
  while (true) {
    const std::size_t wanted = std::min(limit - oldest.size(), s.reports_at_once());
    LET(const auto page, s.reports_from(from, wanted));
    std::vector<std::string> invalid;
    for (const Reply& entry : page.items) {
      if (auto report = s.seal.open_report(entry)) {
        bytes += size_of(*report);
        oldest.push_back(*std::move(report));
      } else {
        invalid.emplace_back(entry_id_of(entry));
      }
    }
    TRY(s.reject(reject_reports_script(),
                 {s.keys.parcels, s.keys.epoch, s.keys.reports, s.keys.forged}, invalid));
    s.note_size(oldest.size(), bytes);
    const bool is_enough = oldest.size() >= limit || bytes >= kMostReportBytes;
    if (is_enough || page.items.size() < wanted) return oldest;
    from = "(" + std::string(entry_id_of(page.items.back()));
  }
}

Result<void> RedisFleet::drain(std::span<const ReportId> ids) {
  State& s = *state_;
  while (!ids.empty()) {
    const auto some = ids.first(std::min(ids.size(), kIdsAtOnce));
    ids = ids.subspan(some.size());
    TRY(s.run_fenced(drain_script(), {s.keys.parcels, s.keys.epoch, s.keys.reports},
                     words_of(entry_ids_of(some))));
  }
  return {};
}

Result<std::vector<TakenParcel>> RedisFleet::take_back(milliseconds idle) {
  State& s = *state_;
  const std::string of_parcels = std::to_string(std::max(idle, milliseconds(0)).count());
  const std::string of_workers =
      std::to_string(std::max(idle * kTermsOfAnIdleWorker, milliseconds(0)).count());
  const std::string most = std::to_string(kIdsAtOnce);
  std::vector<TakenParcel> all;
  while (true) {
    LET(const auto page, s.run_fenced(take_back_script(), {s.keys.parcels, s.keys.epoch},
                                      {of_parcels, of_workers, most}));
    for (const Reply& item : page.items) {
      const auto id = item.items.size() == 3 ? parcel_id_of(item.items[0].text) : std::nullopt;
      if (!id) return std::unexpected(strange_reply(*s.client));
      all.push_back(
          {.id = *id, .worker = item.items[1].text, .idle = milliseconds(item.items[2].number)});
    }
    if (page.items.size() < kIdsAtOnce) return all;
  }
}

Result<std::vector<ParcelId>> RedisFleet::recall() {
  State& s = *state_;
  const std::string most = std::to_string(kPage);
  std::vector<ParcelId> all;
  while (true) {
    LET(const auto page, s.run_fenced(recall_script(), {s.keys.parcels, s.keys.epoch}, {most}));
    for (const Reply& item : page.items) {
      if (const auto id = parcel_id_of(item.text)) all.push_back(*id);
    }
    if (page.items.size() < kPage) return all;
  }
}

Result<std::vector<WorkerCard>> RedisFleet::roster() {
  State& s = *state_;
  const std::string term = std::to_string(s.place.term.count());
  LET(const auto reply,
      s.run_fenced(roster_script(), {s.keys.parcels, s.keys.epoch, s.keys.workers}, {term}));
  std::vector<WorkerCard> cards;
  for (const Reply& item : reply.items) {
    if (auto card = unpack_card(item.text)) cards.push_back(*std::move(card));
  }
  return cards;
}

Result<bool> RedisFleet::wait(milliseconds most, const std::stop_token& stop) {
  State& s = *state_;
  const milliseconds block = std::min(most, longest_block(s.timeout));
  redis::Commands commands;
  if (block > milliseconds(0)) {
    commands.add({"XREAD", "COUNT", "1", "BLOCK", std::to_string(block.count()), "STREAMS",
                  s.keys.reports, "0"});
  } else {
    commands.add({"XREAD", "COUNT", "1", "STREAMS", s.keys.reports, "0"});
  }
  LET(const auto replies, s.client->ask(commands, stop));
  const Reply& reply = replies.front();
  // The stream went away while we waited: there is none.
  if (reply.is_error() && reply.text.starts_with("UNBLOCKED")) return false;
  if (reply.is_error()) {
    return std::unexpected(redis::failure_of(reply.text, s.client->server()));
  }
  return !reply.items.empty();
}

Result<void> RedisFleet::remove() {
  State& s = *state_;
  TRY(s.run_fenced(remove_script(),
                   {s.keys.epoch, s.keys.parcels, s.keys.reports, s.keys.workers, s.keys.forged}));
  return {};
}

}  // namespace tidemill::fleet
