#include "tidemill/state/queue/outlet_scripts.h"

namespace tidemill::queue {

// Everything that can fail comes before the first write, because Redis does not roll back a script.
// `TIME` before a write needs Redis 5.
const redis::Script& acquire_script() {
  static const redis::Script script(R"lua(
local holder = redis.call('GET', KEYS[1])
if holder and string.sub(holder, 1, #ARGV[1] + 1) ~= ARGV[1] .. ' ' then
  return {0, holder, redis.call('PTTL', KEYS[1])}
end
local time = redis.call('TIME')
local epoch = time[1] * 1000 + math.floor(time[2] / 1000)
epoch = math.max(epoch, tonumber(redis.call('GET', KEYS[2]) or '0') + 1)
local has_group = false
if redis.call('EXISTS', KEYS[3]) == 1 then
  local facts = redis.call('XINFO', 'STREAM', KEYS[3])
  for i = 1, #facts, 2 do
    if facts[i] == 'last-generated-id' then
      local top = tonumber(string.match(facts[i + 1], '^%d+'))
      if top >= 9007199254740990 then return {-1, facts[i + 1]} end
      epoch = math.max(epoch, top + 1)
    end
  end
  for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[3])) do
    for i = 1, #group, 2 do
      if group[i] == 'name' and group[i + 1] == ARGV[4] then has_group = true end
    end
  end
end
local progress = redis.call('HGET', KEYS[4], ARGV[5])
epoch = string.format('%.0f', epoch)
local value = ARGV[1] .. ' ' .. epoch .. ' ' .. ARGV[2]
if not has_group then
  redis.call('XGROUP', 'CREATE', KEYS[3], ARGV[4], '0', 'MKSTREAM')
end
redis.call('XSETID', KEYS[3], epoch .. '-0')
redis.call('SET', KEYS[2], epoch)
redis.call('SET', KEYS[1], value, 'PX', ARGV[3])
return {1, epoch, value, progress}
)lua");
  return script;
}

// Sent in full with every group: an EVALSHA inside a transaction could find the script gone after
// the entries were added. Short, because the server hashes it each time.
const redis::Script& commit_script() {
  static const redis::Script script(
      R"lua(if redis.call('GET',KEYS[2])~=ARGV[2] or #redis.call('XRANGE',KEYS[1],ARGV[1],ARGV[1])==0 then return 0 end
redis.call('HSET',KEYS[3],ARGV[3],ARGV[4]) return 1)lua");
  return script;
}

const redis::Script& note_script() {
  static const redis::Script script(R"lua(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
return 1
)lua");
  return script;
}

}  // namespace tidemill::queue
