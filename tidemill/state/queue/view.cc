#include "tidemill/state/queue/view.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/state/queue/outlet_scripts.h"
#include "tidemill/state/queue/scripts.h"

namespace tidemill::queue {
namespace {

using redis::Reply;
using std::chrono::milliseconds;

constexpr std::string_view kMostPending = "10000";  // entries read per consumer

// The leading digits; 0: there are none.
[[nodiscard]] std::int64_t number_of(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

[[nodiscard]] std::uint64_t count_of(const Reply& reply) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(reply.number, 0));
}

[[nodiscard]] std::unexpected<Failure> strange(const redis::Client& client) {
  return fail(Cure::give_up, "redis", client.server() + " sent an invalid reply");
}

// nullopt: the reply is invalid.
[[nodiscard]] std::optional<GroupView> group_of(const Reply& reply) {
  if (reply.items.size() != 4) return std::nullopt;
  GroupView group{.name = reply.items[0].text, .pending = count_of(reply.items[1])};
  if (reply.items[2].number >= 0) group.waiting = count_of(reply.items[2]);
  for (const Reply& item : reply.items[3].items) {
    if (item.items.size() != 5) return std::nullopt;
    group.consumers.push_back({.name = item.items[0].text,
                               .pending = count_of(item.items[1]),
                               .idle = milliseconds(item.items[2].number),
                               .oldest_idle = milliseconds(item.items[3].number),
                               .most_deliveries = count_of(item.items[4])});
  }
  return group;
}

[[nodiscard]] DeadBatch dead_of(const Reply& entry) {
  DeadBatch dead{.entry = entry.items[0].text};
  // The id is the server's time when the batch was given up.
  dead.at = WallTime(milliseconds(number_of(dead.entry)));
  const std::vector<Reply>& fields = entry.items[1].items;
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    const std::string& name = fields[i].text;
    const std::string& value = fields[i + 1].text;
    if (name == "id") dead.id = value;
    if (name == "source") dead.source = value;
    if (name == "reason") dead.reason = value;
    if (name == "consumer") dead.consumer = value;
    if (name == "deliveries") dead.deliveries = static_cast<std::uint64_t>(number_of(value));
    if (name == "batch") dead.payload = value;
  }
  return dead;
}

[[nodiscard]] std::string holder_of(const std::string& value) {
  const LeaseValue lease = parse_lease(value);
  std::string holder(lease.owner);
  if (!lease.epoch.empty()) holder.append(", epoch ").append(lease.epoch);
  return holder;
}

// Whether a person typed an entry: "1794759162564-0".
[[nodiscard]] bool is_entry(std::string_view text) {
  const auto dash = text.find('-');
  const auto is_number = [](std::string_view part) {
    return !part.empty() && part.size() <= 20 &&
           std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
  };
  return dash != std::string_view::npos && is_number(text.substr(0, dash)) &&
         is_number(text.substr(dash + 1));
}

}  // namespace

QueueView::QueueView(std::unique_ptr<redis::Client> client, StreamKeys keys, const Clock& clock)
    : client_(std::move(client)), keys_(std::move(keys)), clock_(&clock) {}

Result<QueueView> QueueView::open(ViewOptions options, const Clock& clock) {
  LET(StreamKeys keys, stream_keys(options.stream));
  options.client.home = keys.stream;
  LET(auto client, redis::Client::make(std::move(options.client), clock));
  return QueueView(std::move(client), std::move(keys), clock);
}

Result<QueueStanding> QueueView::standing(const std::stop_token& stop) {
  const std::array<std::string_view, 3> keys{keys_.stream, keys_.dead, keys_.lease};
  const std::array<std::string_view, 1> arguments{kMostPending};
  LET(const Reply reply, client_->eval(standing_script(), keys, arguments, stop));
  if (reply.items.size() != 6) return strange(*client_);
  QueueStanding standing{.depth = count_of(reply.items[0]), .dead = count_of(reply.items[2])};
  if (!reply.items[1].is_nil()) {
    const auto put = milliseconds(number_of(reply.items[1].text));
    const auto now = std::chrono::duration_cast<milliseconds>(clock_->wall().time_since_epoch());
    standing.oldest_age = std::max(now - put, milliseconds(0));  // clocks differ
  }
  if (!reply.items[3].is_nil()) {
    standing.holder = holder_of(reply.items[3].text);
    standing.holds_for = milliseconds(std::max<std::int64_t>(reply.items[4].number, 0));
  }
  for (const Reply& item : reply.items[5].items) {
    auto group = group_of(item);
    if (!group) return strange(*client_);
    standing.groups.push_back(*std::move(group));
  }
  return standing;
}

Result<std::vector<DeadBatch>> QueueView::dead(const std::string& after, std::size_t limit,
                                               const std::stop_token& stop) {
  if (!after.empty() && !is_entry(after)) {
    return fail(Cure::give_up, FailureKind::usage, "usage", "no such dead-letter entry");
  }
  const std::string from = after.empty() ? "-" : "(" + after;
  LET(const Reply reply,
      client_->call({"XRANGE", keys_.dead, from, "+", "COUNT", std::to_string(limit)}, stop));
  std::vector<DeadBatch> dead;
  dead.reserve(reply.items.size());
  for (const Reply& entry : reply.items) {
    if (entry.items.size() != 2) return strange(*client_);
    dead.push_back(dead_of(entry));
  }
  return dead;
}

Result<bool> QueueView::retry(const std::string& entry, const std::stop_token& stop) {
  if (!is_entry(entry)) return false;
  const std::string room = std::to_string(kRoom);
  const std::array<std::string_view, 2> keys{keys_.stream, keys_.dead};
  const std::array<std::string_view, 2> arguments{entry, room};
  LET(const Reply reply, client_->eval(retry_script(), keys, arguments, stop));
  if (reply.is_nil()) return false;
  if (reply.text == "busy") {
    return fail(Cure::retry, "busy", "no batch can be added after the last one of the stream");
  }
  return true;
}

Result<bool> QueueView::drop(const std::string& entry, const std::stop_token& stop) {
  if (!is_entry(entry)) return false;
  LET(const Reply reply, client_->call({"XDEL", keys_.dead, entry}, stop));
  return reply.number == 1;
}

}  // namespace tidemill::queue
