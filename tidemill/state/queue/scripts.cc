#include "tidemill/state/queue/scripts.h"

namespace tidemill::queue {

const redis::Script& standing_script() {
  static const redis::Script script(R"lua(
local function as_table(list)
  local t = {}
  for i = 1, #list, 2 do t[list[i]] = list[i + 1] end
  return t
end
local function field(entry, name)
  if not entry then return false end
  return as_table(entry[2])[name] or false
end
-- Pages through what a consumer has in hand, the oldest first.
local function in_hand(group, consumer, most)
  local idle, deliveries, from, seen = 0, 0, '-', 0
  while seen < most do
    local page = redis.call('XPENDING', KEYS[1], group, from, '+', math.min(100, most - seen),
                            consumer)
    if #page == 0 then break end
    for _, p in ipairs(page) do
      idle = math.max(idle, p[3])
      deliveries = math.max(deliveries, p[4])
    end
    seen = seen + #page
    from = '(' .. page[#page][1]
  end
  return idle, deliveries
end

if redis.call('EXISTS', KEYS[1]) == 0 then
  return {0, false, redis.call('XLEN', KEYS[2]), redis.call('GET', KEYS[3]),
          redis.call('PTTL', KEYS[3]), {}}
end
local groups = {}
for _, g in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
  local group = as_table(g)
  local consumers = {}
  for _, c in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], group.name)) do
    local consumer = as_table(c)
    local idle, deliveries = 0, 0
    if consumer.pending > 0 then
      idle, deliveries = in_hand(group.name, consumer.name, tonumber(ARGV[1]))
    end
    consumers[#consumers + 1] = {consumer.name, consumer.pending, consumer.idle, idle, deliveries}
  end
  groups[#groups + 1] = {group.name, group.pending, group.lag or -1, consumers}
end
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
return {redis.call('XLEN', KEYS[1]), field(first, 'at'), redis.call('XLEN', KEYS[2]),
        redis.call('GET', KEYS[3]), redis.call('PTTL', KEYS[3]), groups}
)lua");
  return script;
}

// XDEL comes last, because the XADD may be refused.
const redis::Script& retry_script() {
  static const redis::Script script(R"lua(
local entry = redis.call('XRANGE', KEYS[2], ARGV[1], ARGV[1])[1]
if not entry then return false end
local top = '0-0'
if redis.call('EXISTS', KEYS[1]) == 1 then
  local facts = redis.call('XINFO', 'STREAM', KEYS[1])
  for i = 1, #facts, 2 do
    if facts[i] == 'last-generated-id' then top = facts[i + 1] end
  end
end
local ms, seq = string.match(top, '^(%d+)-(%d+)$')
seq = tonumber(seq) + 1
if seq % tonumber(ARGV[2]) == 0 or seq >= 9007199254740991 then return 'busy' end
local fields = {}
for i = 1, #entry[2], 2 do fields[entry[2][i]] = entry[2][i + 1] end
local time = redis.call('TIME')
local id = ms .. '-' .. string.format('%.0f', seq)
redis.call('XADD', KEYS[1], id, 'id', fields.id or '',
           'at', string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)),
           'batch', fields.batch or '')
redis.call('XDEL', KEYS[2], ARGV[1])
return id
)lua");
  return script;
}

}  // namespace tidemill::queue
