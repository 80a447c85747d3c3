#include "tidemill/state/fleet/fleet_scripts.h"

#include <string>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::fleet {
namespace {

constexpr std::int64_t kUnknown = -1;
constexpr std::int64_t kSuperseded = -2;

// Every script has these. XPENDING is the cheapest command that fails without the group.
constexpr std::string_view kCommon = R"lua(
local q = KEYS[1]
local every = 1000000
local function pending(...)
  local found = redis.pcall('XPENDING', q, 'w', ...)
  if not found.err then return found end
  if string.find(found.err, 'NOGROUP', 1, true) then return nil, -1 end
  return nil, found
end
local function ids_from(first)
  local ids = {}
  for i = first, #ARGV do ids[#ids + 1] = ARGV[i] end
  return ids
end
local function first_of(list)
  local ids = {}
  for i, item in ipairs(list) do ids[i] = item[1] end
  return ids
end
local function count_forged(key, count)
  if count > 0 then redis.pcall('INCRBY', key, count) end
  return count
end
)lua";

// Of a script that only the newest epoch may run.
constexpr std::string_view kFence = R"lua(
local known, refusal = pending('-', '+', 1)
if not known then return refusal end
local stored = tonumber(redis.call('GET', KEYS[2]) or '0') or 0
if stored > tonumber(ARGV[1]) then return -2 end
if stored < tonumber(ARGV[1]) then return -1 end
)lua";

constexpr std::string_view kKnown = R"lua(
local known, refusal = pending('-', '+', 1)
if not known then return refusal end
)lua";

// Parcels up to this id were delivered.
constexpr std::string_view kDelivered = R"lua(
local function last_delivered()
  for _, group in ipairs(redis.call('XINFO', 'GROUPS', q)) do
    local facts = {}
    for i = 1, #group, 2 do facts[group[i]] = group[i + 1] end
    if facts.name == 'w' then return facts['last-delivered-id'] end
  end
end
)lua";

redis::Script script_of(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return redis::Script(text);
}

Failure fleet_failure(Cure cure, FailureKind kind, const redis::Client& client,
                      std::string_view reason, std::string_view hint) {
  return {.cure = cure,
          .kind = kind,
          .step = "fleet",
          .reason = client.server() + ": " + std::string(reason),
          .hint = std::string(hint)};
}

}  // namespace

Failure unknown_run(const redis::Client& client) {
  return fleet_failure(Cure::retry, FailureKind::not_found, client,
                       "the server does not know this run", "");
}

Failure superseded_run(const redis::Client& client) {
  return fleet_failure(Cure::give_up, FailureKind::superseded, client,
                       "another process has taken over this run", "let that process finish it");
}

Failure strange_reply(const redis::Client& client) {
  return fleet_failure(Cure::give_up, FailureKind::unsupported, client, "unexpected reply",
                       "use Redis 6.2 or later, or Valkey");
}

Result<redis::Reply> run_script(redis::Client& client, const redis::Script& script,
                                std::span<const std::string_view> keys,
                                std::span<const std::string_view> arguments) {
  LET(auto reply, client.eval(script, keys, arguments));
  if (reply.kind == redis::Reply::Kind::integer) {
    if (reply.number == kUnknown) return std::unexpected(unknown_run(client));
    if (reply.number == kSuperseded) return std::unexpected(superseded_run(client));
  }
  return reply;
}

const redis::Script& open_script() {
  static const redis::Script script(R"lua(
local q = KEYS[1]
local limit = 9007199254740990
local time = redis.call('TIME')
local epoch = time[1] * 1000 + math.floor(time[2] / 1000)
local function raise_above(text)
  local number = tonumber(string.match(text, '^%d+$') or '0')
  if number >= limit then return false end
  epoch = math.max(epoch, number + 1)
  return true
end
raise_above(ARGV[1])
raise_above(redis.call('GET', KEYS[2]) or '0')
local has_group, is_full = false, false
if redis.call('EXISTS', q) == 1 then
  local facts = redis.call('XINFO', 'STREAM', q)
  for i = 1, #facts, 2 do
    if facts[i] == 'last-generated-id' then
      is_full = not raise_above(string.match(facts[i + 1], '^%d+'))
    end
  end
  for _, group in ipairs(redis.call('XINFO', 'GROUPS', q)) do
    for i = 1, #group, 2 do
      if group[i] == 'name' and group[i + 1] == 'w' then has_group = true end
    end
  end
end
epoch = string.format('%.0f', epoch)
redis.call('XDEL', q, '0-0')
if is_full then
  redis.call('DEL', q)
  has_group = false
end
if not has_group then redis.call('XGROUP', 'CREATE', q, 'w', '0', 'MKSTREAM') end
redis.call('XSETID', q, epoch .. '-0')
redis.call('SET', KEYS[2], epoch)
return epoch
)lua");
  return script;
}

const redis::Script& parcels_script() {
  static const redis::Script script = script_of({kCommon, kKnown, R"lua(
local entries = redis.call('XRANGE', q, ARGV[1], '+', 'COUNT', ARGV[2])
local holders = {}
if #entries > 0 then
  for _, p in ipairs(redis.call('XPENDING', q, 'w', entries[1][1], entries[#entries][1], every)) do
    holders[#holders + 1] = p[1]
    holders[#holders + 1] = p[2]
  end
end
return {entries, holders}
)lua"});
  return script;
}

const redis::Script& missing_script() {
  static const redis::Script script = script_of({kCommon, kDelivered, R"lua(
local pendings, refusal = pending(ARGV[1], ARGV[2], every)
if not pendings then return refusal end
local is_held = {}
for _, p in ipairs(pendings) do is_held[p[1]] = true end
local function numbers_of(id)
  local high, low = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(high), tonumber(low)
end
local last_high, last_low = numbers_of(last_delivered())
local function is_waiting(id)
  local high, low = numbers_of(id)
  if high < last_high or (high == last_high and low <= last_low) then return false end
  return #redis.call('XRANGE', q, id, id) == 1
end
local gone, is_gone, count = {}, {}, 0
for i = 3, #ARGV do
  local id = ARGV[i]
  if not is_held[id] and not is_waiting(id) then
    gone[#gone + 1] = id
    is_gone[id] = true
    count = count + 1
  end
end
local from = '-'
while count > 0 do
  local page = redis.call('XRANGE', KEYS[2], from, '+', 'COUNT', 100)
  for _, entry in ipairs(page) do
    for i = 1, #entry[2], 2 do
      if entry[2][i] == 'p' and is_gone[entry[2][i + 1]] then
        is_gone[entry[2][i + 1]] = nil
        count = count - 1
      end
    end
  end
  if #page < 100 then break end
  from = '(' .. page[#page][1]
end
local missing = {}
for _, id in ipairs(gone) do
  if is_gone[id] then missing[#missing + 1] = id end
end
return missing
)lua"});
  return script;
}

const redis::Script& drain_script() {
  static const redis::Script script = script_of({kCommon, kFence, R"lua(
return redis.call('XDEL', KEYS[3], unpack(ids_from(2)))
)lua"});
  return script;
}

const redis::Script& reject_reports_script() {
  static const redis::Script script = script_of({kCommon, kFence, R"lua(
return count_forged(KEYS[4], redis.call('XDEL', KEYS[3], unpack(ids_from(2))))
)lua"});
  return script;
}

const redis::Script& reject_parcels_script() {
  static const redis::Script script = script_of({kCommon, kFence, R"lua(
local ids = ids_from(2)
redis.call('XACK', q, 'w', unpack(ids))
return count_forged(KEYS[3], redis.call('XDEL', q, unpack(ids)))
)lua"});
  return script;
}

const redis::Script& reject_held_script() {
  static const redis::Script script = script_of({kCommon, R"lua(
local ids = {}
for _, id in ipairs(ids_from(2)) do
  local mine, refusal = pending(id, id, 1, ARGV[1])
  if not mine then return refusal end
  if #mine == 1 then ids[#ids + 1] = id end
end
if #ids == 0 then return 0 end
redis.call('XACK', q, 'w', unpack(ids))
return count_forged(KEYS[2], redis.call('XDEL', q, unpack(ids)))
)lua"});
  return script;
}

const redis::Script& take_back_script() {
  static const redis::Script script = script_of({kCommon, kFence, R"lua(
local silent = redis.call('XPENDING', q, 'w', 'IDLE', ARGV[2], '-', '+', ARGV[4])
local gone = {}
for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', q, 'w')) do
  local facts = {}
  for i = 1, #consumer, 2 do facts[consumer[i]] = consumer[i + 1] end
  if facts.pending == 0 and facts.idle >= tonumber(ARGV[3]) then gone[#gone + 1] = facts.name end
end
local taken = {}
for i, p in ipairs(silent) do taken[i] = {p[1], p[2], p[3]} end
if #silent > 0 then
  local ids = first_of(silent)
  redis.call('XACK', q, 'w', unpack(ids))
  redis.call('XDEL', q, unpack(ids))
end
for _, name in ipairs(gone) do redis.call('XGROUP', 'DELCONSUMER', q, 'w', name) end
return taken
)lua"});
  return script;
}

const redis::Script& recall_script() {
  static const redis::Script script = script_of({kCommon, kFence, kDelivered, R"lua(
local ids = first_of(redis.call('XRANGE', q, '(' .. last_delivered(), '+', 'COUNT', ARGV[2]))
if #ids > 0 then redis.call('XDEL', q, unpack(ids)) end
return ids
)lua"});
  return script;
}

// A time far ahead is of a clock that went back.
const redis::Script& roster_script() {
  static const redis::Script script = script_of({kCommon, kFence, R"lua(
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local cards, old = {}, {}
local all = redis.call('HGETALL', KEYS[3])
for i = 1, #all, 2 do
  local since, card = string.match(all[i + 1], '^(%d+) (.*)$')
  if since and math.abs(now - tonumber(since)) <= tonumber(ARGV[2]) then
    cards[#cards + 1] = card
  else
    old[#old + 1] = all[i]
  end
end
for _, name in ipairs(old) do redis.call('HDEL', KEYS[3], name) end
return cards
)lua"});
  return script;
}

const redis::Script& remove_script() {
  static const redis::Script script(R"lua(
local stored = tonumber(redis.call('GET', KEYS[1]) or '0') or 0
if stored > tonumber(ARGV[1]) then return -2 end
redis.call('UNLINK', unpack(KEYS))
return 0
)lua");
  return script;
}

const redis::Script& held_script() {
  static const redis::Script script = script_of({kCommon, R"lua(
local mine, refusal = pending(ARGV[2], '+', ARGV[3], ARGV[1])
if not mine then return refusal end
local entries = {}
for i, p in ipairs(mine) do
  local entry = redis.call('XRANGE', q, p[1], p[1])[1]
  entries[i] = {p[1], entry and entry[2] or false}
end
return entries
)lua"});
  return script;
}

// XADD comes first, because it may be refused.
const redis::Script& give_script() {
  static const redis::Script script(R"lua(
local q = KEYS[1]
local mine = redis.pcall('XPENDING', q, 'w', ARGV[2], ARGV[2], 1, ARGV[1])
if mine.err then
  if string.find(mine.err, 'NOGROUP', 1, true) then return -1 end
  return mine
end
if #mine == 0 then return 0 end
redis.call('XADD', KEYS[2], '*', 'p', ARGV[2], 'w', ARGV[1], 'r', ARGV[3], 'm', ARGV[4])
redis.call('XACK', q, 'w', ARGV[2])
redis.call('XDEL', q, ARGV[2])
return 1
)lua");
  return script;
}

const redis::Script& confirm_script() {
  static const redis::Script script = script_of({kCommon, R"lua(
local mine, refusal = pending('-', '+', every, ARGV[1])
if not mine then return refusal end
local ids, is_mine = first_of(mine), {}
for _, id in ipairs(ids) do is_mine[id] = true end
redis.call('XDEL', q, '0-0')
for _, id in ipairs(ids_from(3)) do
  if is_mine[id] then redis.call('XCLAIM', q, 'w', ARGV[1], 0, id, 'JUSTID') end
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[2], ARGV[1], string.format('%.0f', now) .. ' ' .. ARGV[2])
return ids
)lua"});
  return script;
}

}  // namespace tidemill::fleet
