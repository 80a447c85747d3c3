#include <algorithm>
#include <string_view>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/state/fleet/fleet_member_state.h"
#include "tidemill/state/fleet/fleet_scripts.h"

namespace tidemill::fleet {
namespace {

using redis::Reply;
using std::chrono::milliseconds;
using Members = std::span<RedisFleetMember* const>;

// The group of one stream is gone: before the call, or while it waited.
bool is_of_a_lost_group(const Reply& reply) {
  return reply.is_error() &&
         (reply.text.starts_with("NOGROUP") || reply.text.starts_with("UNBLOCKED"));
}

}  // namespace

// Redis looks ten times a second for calls whose time is over.
milliseconds longest_block(milliseconds timeout) {
  return std::max(timeout * 4 / 5 - milliseconds(100), milliseconds(0));
}

Result<std::vector<FleetInbox::Delivery>> FleetInbox::wait(Members members, milliseconds most,
                                                           const std::stop_token& stop) {
  if (members.empty()) return {};
  const std::string block = std::to_string(std::min(most, longest_block(timeout_)).count());
  std::vector<std::string_view> words = {"XREADGROUP", "GROUP", kGroup, members[0]->state_->name,
                                         "COUNT",      "1"};
  // BLOCK 0 would wait for ever.
  if (most > milliseconds(0) && block != "0") words.insert(words.end(), {"BLOCK", block});
  words.emplace_back("STREAMS");
  for (const RedisFleetMember* member : members) words.push_back(member->state_->keys.parcels);
  words.insert(words.end(), members.size(), ">");
  redis::Commands commands;
  commands.add(words);
  LET(const auto replies, client_.ask(commands, stop));
  const Reply& reply = replies.front();
  if (is_of_a_lost_group(reply)) return ask_each(members, stop);
  if (reply.is_error()) return std::unexpected(redis::failure_of(reply.text, client_.server()));
  std::vector<Delivery> deliveries;
  for (const Reply& stream : reply.items) TRY(take(members, stream, deliveries));
  return deliveries;
}

// The error names one stream of several. So each is asked by itself; what it has is received.
Result<std::vector<FleetInbox::Delivery>> FleetInbox::ask_each(Members members,
                                                               const std::stop_token& stop) {
  redis::Commands commands;
  for (const RedisFleetMember* member : members) {
    commands.add({"XREADGROUP", "GROUP", kGroup, member->state_->name, "COUNT", "1", "STREAMS",
                  member->state_->keys.parcels, ">"});
  }
  LET(const auto replies, client_.ask(commands, stop));
  std::vector<Delivery> deliveries;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    const Reply& reply = replies[i];
    if (is_of_a_lost_group(reply)) {
      deliveries.push_back({.member = members[i], .is_forgotten = true});
      continue;
    }
    if (reply.is_error()) return std::unexpected(redis::failure_of(reply.text, client_.server()));
    for (const Reply& stream : reply.items) TRY(take(members, stream, deliveries));
  }
  return deliveries;
}

Result<void> FleetInbox::take(Members members, const Reply& stream,
                              std::vector<Delivery>& deliveries) {
  if (stream.items.size() != 2) return std::unexpected(strange_reply(client_));
  const auto owner = std::ranges::find_if(members, [&](const RedisFleetMember* member) {
    return member->state_->keys.parcels == stream.items[0].text;
  });
  if (owner == members.end()) return std::unexpected(strange_reply(client_));
  LET(auto parcels, (*owner)->state_->open(stream.items[1]));
  if (!parcels.empty()) deliveries.push_back({.member = *owner, .parcels = std::move(parcels)});
  return {};
}

}  // namespace tidemill::fleet
