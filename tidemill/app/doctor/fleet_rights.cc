#include "tidemill/app/doctor/fleet_rights.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/state/fleet/keys.h"

namespace tidemill::app {
namespace {

// Stands for the key in a command.
constexpr std::string_view kKey = "KEY";
constexpr std::string_view kAnyRun = "*";

//   ARGV commands, their words separated by spaces
//   {version of the server, the indices of those that the user may not use}; nil: it cannot say
constexpr std::string_view kScript = R"lua(
local refused = {}
for i, line in ipairs(ARGV) do
  local words = {}
  for word in string.gmatch(line, '%S+') do words[#words + 1] = word end
  local is_known, may = pcall(redis.acl_check_cmd, unpack(words))
  if not (is_known and may) then refused[#refused + 1] = i end
end
return {redis.REDIS_VERSION or '', refused}
)lua";

// "xgroup|create {films}:*:q": as an ACL and the errors of the server spell the command.
std::string name_of(std::string_view command, std::string_view key) {
  std::string name(command.substr(0, command.find(' ')));
  if (name == "xgroup" || name == "xinfo") {
    const std::string_view rest = command.substr(name.size() + 1);
    name.append("|").append(rest.substr(0, rest.find(' ')));
  }
  return key.empty() ? name : name.append(" ").append(key);
}

void add(std::vector<FleetCommand>& all, std::string_view key,
         std::initializer_list<std::string_view> commands) {
  for (const std::string_view command : commands) {
    std::string line(command);
    if (const auto at = line.find(kKey); at != std::string::npos) {
      line.replace(at, kKey.size(), key);
    }
    all.push_back({.line = std::move(line), .name = name_of(command, key)});
  }
}

Result<redis::Reply> ask(redis::Client& client, const std::vector<FleetCommand>& all,
                         const std::stop_token& stop) {
  std::vector<std::string_view> words = {"EVAL", kScript, "0"};
  for (const FleetCommand& command : all) words.push_back(command.line);
  redis::Commands commands;
  commands.add(words);
  LET(auto replies, client.ask(commands, stop));
  if (replies.size() != 1) return fail(Cure::give_up, "redis", "unexpected reply");
  return std::move(replies.front());
}

bool is_answer(const redis::Reply& reply) {
  return reply.items.size() == 2 && reply.items[1].kind == redis::Reply::Kind::list;
}

}  // namespace

std::vector<FleetCommand> commands_of_coordinator(std::string_view fleet) {
  const fleet::FleetKeys keys(fleet);
  const fleet::FleetRunKeys run(fleet, kAnyRun);
  std::vector<FleetCommand> all;
  add(all, "", {"time", "evalsha x 0"});
  add(all, keys.runs, {"eval x 1 KEY", "hset KEY r v", "hdel KEY r", "hgetall KEY"});
  add(all, keys.published, {"eval x 1 KEY", "hset KEY r v", "hdel KEY r", "hgetall KEY"});
  add(all, keys.hosts, {"eval x 1 KEY", "hgetall KEY", "hdel KEY c"});
  add(all, keys.paused, {"eval x 1 KEY", "smembers KEY", "sadd KEY r", "srem KEY r"});
  add(all, keys.drained, {"smembers KEY", "sadd KEY h", "srem KEY h"});
  add(all, run.epoch, {"eval x 1 KEY", "get KEY", "set KEY 1", "pexpire KEY 1", "unlink KEY"});
  add(all, run.parcels,
      {"eval x 1 KEY", "exists KEY", "xinfo stream KEY", "xinfo groups KEY",
       "xinfo consumers KEY w", "xgroup create KEY w 0 mkstream", "xgroup delconsumer KEY w c",
       "xsetid KEY 1-0", "del KEY", "xadd KEY nomkstream 1-1 t v", "xlen KEY", "xpending KEY w",
       "xrange KEY - +", "xack KEY w 1-1", "xdel KEY 1-1", "pexpire KEY 1", "unlink KEY"});
  add(all, run.reports,
      {"eval x 1 KEY", "xread streams KEY 0", "xrange KEY - +", "xlen KEY", "xdel KEY 1-1",
       "pexpire KEY 1", "unlink KEY"});
  add(all, run.workers,
      {"eval x 1 KEY", "hgetall KEY", "hvals KEY", "hdel KEY c", "pexpire KEY 1", "unlink KEY"});
  add(all, run.forged, {"eval x 1 KEY", "get KEY", "incrby KEY 1", "pexpire KEY 1", "unlink KEY"});
  return all;
}

std::vector<FleetCommand> commands_of_worker(std::string_view fleet) {
  const fleet::FleetKeys keys(fleet);
  const fleet::FleetRunKeys run(fleet, kAnyRun);
  std::vector<FleetCommand> all;
  add(all, "", {"time", "evalsha x 0"});
  add(all, keys.runs, {"hgetall KEY"});
  add(all, keys.published, {"hgetall KEY"});
  add(all, keys.paused, {"smembers KEY"});
  add(all, keys.drained, {"smembers KEY"});
  add(all, keys.hosts, {"eval x 1 KEY", "hset KEY c v", "hdel KEY c"});
  add(all, run.parcels,
      {"eval x 1 KEY", "xreadgroup group w c streams KEY >", "xpending KEY w", "xrange KEY - +",
       "xclaim KEY w c 0 1-1", "xack KEY w 1-1", "xdel KEY 1-1"});
  add(all, run.reports, {"eval x 1 KEY", "xadd KEY * p 1"});
  add(all, run.workers, {"eval x 1 KEY", "hset KEY c v", "hdel KEY c"});
  add(all, run.forged, {"eval x 1 KEY", "incrby KEY 1"});
  return all;
}

Result<FleetRights> rights_of(const redis::Reply& reply, std::string_view fleet,
                              const std::string& server) {
  if (reply.is_error() && reply.text.starts_with("NOPERM")) {
    return FleetRights{.to_coordinate = {"eval"}, .to_work = {"eval"}};
  }
  if (reply.is_error()) return std::unexpected(redis::failure_of(reply.text, server));
  if (!is_answer(reply)) {
    return fail(Cure::give_up, FailureKind::unsupported, "redis",
                server + " cannot say what its users may do");
  }
  std::vector<FleetCommand> coordinator = commands_of_coordinator(fleet);
  std::vector<FleetCommand> worker = commands_of_worker(fleet);
  FleetRights rights{.version = reply.items[0].text};
  for (const redis::Reply& item : reply.items[1].items) {
    const auto number = static_cast<std::size_t>(item.number) - 1;
    if (number < coordinator.size()) {
      rights.to_coordinate.push_back(std::move(coordinator[number].name));
    } else if (number - coordinator.size() < worker.size()) {
      rights.to_work.push_back(std::move(worker[number - coordinator.size()].name));
    }
  }
  return rights;
}

Result<FleetRights> ask_rights(redis::Client& client, std::string_view fleet,
                               const std::stop_token& stop) {
  std::vector<FleetCommand> all = commands_of_coordinator(fleet);
  std::ranges::move(commands_of_worker(fleet), std::back_inserter(all));
  LET(const auto reply, ask(client, all, stop));
  return rights_of(reply, fleet, client.server());
}

}  // namespace tidemill::app
