// The worker's side: RedisFleetMember and FleetInbox.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/state/fleet/fleet_member_state.h"
#include "tidemill/state/fleet/fleet_scripts.h"
#include "tidemill/state/fleet/packing.h"

namespace tidemill::fleet {
namespace {

using engine::FleetParcel;
using engine::ParcelId;
using redis::Reply;

constexpr std::size_t kPage = 100;

}  // namespace

RedisFleetMember::State::State(redis::Client& a_client, FleetPlace place, std::string a_name)
    : client(a_client),
      keys(place.fleet, place.run),
      seal(place.fleet, place.run, std::move(place.key)),
      name(std::move(a_name)) {}

Result<std::vector<FleetParcel>> RedisFleetMember::State::open(const Reply& entries) {
  auto opened = open_parcels(seal, entries);
  for (FleetParcel& parcel : opened.valid) parcel.holder = name;
  if (opened.invalid.empty()) return std::move(opened.valid);
  std::vector<std::string_view> arguments = {name};
  arguments.insert(arguments.end(), opened.invalid.begin(), opened.invalid.end());
  const std::array<std::string_view, 2> both = {keys.parcels, keys.forged};
  const auto removed = run_script(client, reject_held_script(), both, arguments);
  if (removed) {
    forged += static_cast<std::uint64_t>(std::max<std::int64_t>(removed->number, 0));
  } else if (removed.error().cure != Cure::retry) {
    return std::unexpected(removed.error());
  }
  return std::move(opened.valid);
}

RedisFleetMember::RedisFleetMember(redis::Client& client, FleetPlace place, std::string name)
    : state_(std::make_unique<State>(client, std::move(place), std::move(name))) {}
RedisFleetMember::~RedisFleetMember() = default;

std::uint64_t RedisFleetMember::forged() const { return state_->forged; }

Result<std::vector<FleetParcel>> RedisFleetMember::receive(std::size_t limit) {
  State& s = *state_;
  if (limit == 0) return {};  // Redis takes it for: all
  redis::Commands commands;
  commands.add({"XREADGROUP", "GROUP", kGroup, s.name, "COUNT", std::to_string(limit), "STREAMS",
                s.keys.parcels, ">"});
  LET(const auto replies, s.client.ask(commands, {}));
  const Reply& reply = replies.front();
  if (reply.is_error() && reply.text.starts_with("NOGROUP")) {
    return std::unexpected(unknown_run(s.client));
  }
  if (reply.is_error()) {
    return std::unexpected(redis::failure_of(reply.text, s.client.server()));
  }
  if (reply.items.empty()) return {};
  const Reply& stream = reply.items.front();
  if (stream.items.size() != 2) return std::unexpected(strange_reply(s.client));
  return s.open(stream.items[1]);
}

Result<std::vector<FleetParcel>> RedisFleetMember::held() {
  State& s = *state_;
  const std::string most = std::to_string(kPage);
  const std::array<std::string_view, 1> keys = {s.keys.parcels};
  std::vector<FleetParcel> all;
  std::string from = "-";
  while (true) {
    const std::array<std::string_view, 3> arguments = {s.name, from, most};
    LET(const auto page, run_script(s.client, held_script(), keys, arguments));
    LET(auto parcels, s.open(page));
    std::ranges::move(parcels, std::back_inserter(all));
    if (page.items.size() < kPage) return all;
    from = "(" + std::string(entry_id_of(page.items.back()));
  }
}

Result<bool> RedisFleetMember::give(ParcelId parcel, std::span<const engine::TaskReport> reports) {
  State& s = *state_;
  const std::string id = entry_id_of(parcel);
  const std::string bytes = pack(reports);
  const std::string signature = s.seal.sign(parcel, s.name, bytes);
  const std::array<std::string_view, 2> keys = {s.keys.parcels, s.keys.reports};
  const std::array<std::string_view, 4> arguments = {s.name, id, bytes, signature};
  LET(const auto reply, run_script(s.client, give_script(), keys, arguments));
  return reply.number == 1;
}

Result<std::vector<ParcelId>> RedisFleetMember::confirm(const engine::WorkerCard& card,
                                                        std::span<const ParcelId> ids) {
  State& s = *state_;
  const std::string bytes = pack(card);
  std::vector<std::string> texts;
  for (const ParcelId id : ids) texts.push_back(entry_id_of(id));
  std::vector<std::string_view> arguments = {s.name, bytes};
  arguments.insert(arguments.end(), texts.begin(), texts.end());
  const std::array<std::string_view, 2> keys = {s.keys.parcels, s.keys.workers};
  LET(const auto reply, run_script(s.client, confirm_script(), keys, arguments));
  std::vector<ParcelId> ours;
  for (const Reply& item : reply.items) {
    if (const auto id = parcel_id_of(item.text)) ours.push_back(*id);
  }
  return ours;
}

Result<void> RedisFleetMember::leave() {
  State& s = *state_;
  TRY(s.client.call({"HDEL", s.keys.workers, s.name}));
  return {};
}

}  // namespace tidemill::fleet
