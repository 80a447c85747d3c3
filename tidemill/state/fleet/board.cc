#include "tidemill/state/fleet/board.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/base/varint.h"
#include "tidemill/io/redis/number_of.h"
#include "tidemill/state/fleet/board_packing.h"
#include "tidemill/state/fleet/board_scripts.h"
#include "tidemill/state/fleet/keys.h"

namespace tidemill::fleet {
namespace {

using redis::Reply;
using std::chrono::milliseconds;

constexpr std::string_view kPurpose = "run";
constexpr std::string_view kKept = "604800000";  // ms of a week
constexpr std::size_t kShortDigest = 8;          // characters of a digest that people see

[[nodiscard]] std::unexpected<Failure> strange(const redis::Client& client) {
  return fail(Cure::give_up, "redis", client.server() + " sent an invalid reply");
}

[[nodiscard]] std::uint64_t count_of(const Reply& reply) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(reply.number, 0));
}

[[nodiscard]] std::uint64_t number_in(const Reply& reply) {
  return redis::number_of<std::uint64_t>(reply.text).value_or(0);
}

// A run signed for one fleet or name is not valid for another.
[[nodiscard]] std::string signed_text(std::string_view fleet, std::string_view run,
                                      std::string_view bytes) {
  std::string text;
  for (const std::string_view name : {fleet, run}) {
    append_varint(text, name.size());
    text += name;
  }
  return text.append(bytes);
}

// nullopt: the value is not one that publish() has stored under this name.
[[nodiscard]] std::optional<PublishedRun> run_of(std::string_view fleet, const std::string& name,
                                                 std::string_view value, const FleetKey& key) {
  const auto length = take_varint(value);
  if (!length || *length > value.size()) return std::nullopt;
  const std::string_view signature = value.substr(0, *length);
  const std::string_view bytes = value.substr(*length);
  if (!key.is_signed(kPurpose, signed_text(fleet, name, bytes), signature)) return std::nullopt;
  auto run = unpack_run(bytes);
  return run && run->name == name ? run : std::nullopt;
}

// `published`: names and times; `time`: as the server tells it.
[[nodiscard]] milliseconds age_of(const std::string& run, const Reply& published,
                                  const Reply& time) {
  const std::uint64_t now = number_in(time.items[0]) * 1'000 + number_in(time.items[1]) / 1'000;
  for (std::size_t i = 0; i < published.items.size(); i += 2) {
    if (published.items[i].text != run) continue;
    const std::uint64_t at = number_in(published.items[i + 1]);
    return at < now ? milliseconds(static_cast<std::int64_t>(now - at)) : milliseconds(0);
  }
  return milliseconds(0);
}

[[nodiscard]] std::vector<std::string> sorted_texts(const Reply& list) {
  std::vector<std::string> texts;
  texts.reserve(list.items.size());
  for (const Reply& item : list.items) texts.push_back(item.text);
  std::ranges::sort(texts);
  return texts;
}

}  // namespace

std::string text_of(const RecipeId& recipe) {
  std::string text = recipe.name + "/" + std::to_string(recipe.version);
  if (!recipe.digest.empty()) text += " (" + recipe.digest.substr(0, kShortDigest) + ")";
  return text;
}

FleetBoard::FleetBoard(redis::Client& client, std::string fleet, FleetKey key)
    : client_(client), fleet_(std::move(fleet)), key_(std::move(key)) {}

FleetBoard::~FleetBoard() = default;

Result<void> FleetBoard::publish(const PublishedRun& run) {
  if (run.roots.size() > kMostListed) {
    return fail(Cure::give_up, FailureKind::over_limit, "publish",
                "a run on a fleet has at most " + std::to_string(kMostListed) + " folders");
  }
  const std::string bytes = pack(run);
  const std::string signature = key_.sign(kPurpose, signed_text(fleet_, run.name, bytes));
  std::string value;
  append_varint(value, signature.size());
  value += signature;
  value += bytes;
  const FleetKeys keys(fleet_);
  const FleetRunKeys own(fleet_, run.name);
  const std::array<std::string_view, 7> named{keys.runs,   keys.published, own.epoch, own.parcels,
                                              own.reports, own.workers,    own.forged};
  const std::array<std::string_view, 3> arguments{run.name, value, kKept};
  TRY(client_.eval(publish_script(), named, arguments));
  return {};
}

Result<void> FleetBoard::withdraw(const std::string& run) {
  const FleetKeys keys(fleet_);
  const std::array<std::string_view, 3> named{keys.runs, keys.published, keys.paused};
  const std::array<std::string_view, 1> arguments{run};
  TRY(client_.eval(withdraw_script(), named, arguments));
  return {};
}

Result<bool> FleetBoard::remove(const std::string& run) {
  const FleetKeys keys(fleet_);
  const FleetRunKeys own(fleet_, run);
  const std::array<std::string_view, 8> named{keys.runs,   keys.published, keys.paused, own.epoch,
                                              own.parcels, own.reports,    own.workers, own.forged};
  const std::array<std::string_view, 1> arguments{run};
  LET(const Reply reply, client_.eval(withdraw_script(), named, arguments));
  return reply.number > 0;
}

Result<FleetBoard::Listing> FleetBoard::runs() {
  const FleetKeys keys(fleet_);
  redis::Commands commands;
  commands.add({"HGETALL", keys.runs});
  commands.add({"SMEMBERS", keys.paused});
  commands.add({"SMEMBERS", keys.drained});
  commands.add({"HGETALL", keys.published});
  commands.add({"TIME"});
  LET(const auto replies, client_.ask(commands, {}));
  for (const Reply& reply : replies) {
    if (reply.is_error()) return std::unexpected(redis::failure_of(reply.text, client_.server()));
  }
  const bool is_whole = replies.size() == 5 && replies[0].items.size() % 2 == 0 &&
                        replies[3].items.size() % 2 == 0 && replies[4].items.size() == 2;
  if (!is_whole) return strange(client_);
  const auto paused = sorted_texts(replies[1]);
  Listing listing{.drained = sorted_texts(replies[2])};
  const std::vector<Reply>& entries = replies[0].items;
  for (std::size_t i = 0; i < entries.size(); i += 2) {
    const std::string& name = entries[i].text;
    auto run = run_of(fleet_, name, entries[i + 1].text, key_);
    const bool is_genuine = run.has_value();
    listing.runs.push_back({.run = is_genuine ? *std::move(run) : PublishedRun{.name = name},
                            .is_genuine = is_genuine,
                            .is_signed = !entries[i + 1].text.starts_with('\0'),
                            .is_paused = std::ranges::binary_search(paused, name),
                            .age = age_of(name, replies[3], replies[4])});
  }
  std::ranges::sort(listing.runs, {}, [](const Listed& listed) { return listed.run.name; });
  return listing;
}

Result<void> FleetBoard::announce(const FleetHost& host) {
  const FleetKeys named(fleet_);
  const std::array<std::string_view, 1> keys{named.hosts};
  const std::string packed = pack(host);
  const std::array<std::string_view, 2> arguments{host.consumer, packed};
  TRY(client_.eval(announce_script(), keys, arguments));
  return {};
}

Result<void> FleetBoard::leave(const std::string& consumer) {
  TRY(client_.call({"HDEL", FleetKeys(fleet_).hosts, consumer}));
  return {};
}

Result<std::vector<FleetBoard::Announced>> FleetBoard::hosts(milliseconds most) {
  const FleetKeys named(fleet_);
  const std::array<std::string_view, 1> keys{named.hosts};
  const std::string limit = std::to_string(most.count());
  const std::array<std::string_view, 1> arguments{limit};
  LET(const Reply reply, client_.eval(hosts_script(), keys, arguments));
  if (reply.items.size() % 3 != 0) return strange(client_);
  std::vector<Announced> hosts;
  for (std::size_t i = 0; i < reply.items.size(); i += 3) {
    const std::string& consumer = reply.items[i].text;
    auto host = unpack_host(reply.items[i + 2].text);
    // Of a later version, or of somebody else: it is there, and that is all we know.
    if (!host || host->consumer != consumer) host = FleetHost{.consumer = consumer};
    hosts.push_back({.host = *std::move(host), .age = milliseconds(reply.items[i + 1].number)});
  }
  std::ranges::sort(hosts, {}, [](const Announced& announced) {
    return std::tie(announced.host.host, announced.host.pid, announced.host.consumer);
  });
  return hosts;
}

Result<void> FleetBoard::pause(const std::string& run, bool is_paused) {
  TRY(client_.call({is_paused ? "SADD" : "SREM", FleetKeys(fleet_).paused, run}));
  return {};
}

Result<void> FleetBoard::drain(const std::string& host, bool is_drained) {
  TRY(client_.call({is_drained ? "SADD" : "SREM", FleetKeys(fleet_).drained, host}));
  return {};
}

Result<FleetWindow> FleetBoard::window(const PublishedRun& run) {
  const FleetRunKeys named(fleet_, run.name);
  const std::array<std::string_view, 5> keys{named.parcels, named.reports, named.epoch,
                                             named.forged, named.workers};
  const std::string term = std::to_string(run.term.count());
  const std::array<std::string_view, 2> arguments{kGroup, term};
  LET(const Reply reply, client_.eval(window_script(), keys, arguments));
  if (reply.items.size() != 7) return strange(client_);
  const std::uint64_t parcels = count_of(reply.items[1]);
  const std::uint64_t held = count_of(reply.items[2]);
  return FleetWindow{.is_known = reply.items[0].number == 1,
                     .epoch = number_in(reply.items[4]),
                     .waiting = parcels - std::min(parcels, held),
                     .held = held,
                     .reports = count_of(reply.items[3]),
                     .workers = count_of(reply.items[6]),
                     .forged = number_in(reply.items[5])};
}

}  // namespace tidemill::fleet
