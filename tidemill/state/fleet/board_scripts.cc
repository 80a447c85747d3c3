#include "tidemill/state/fleet/board_scripts.h"

namespace tidemill::fleet {

const redis::Script& announce_script() {
  static const redis::Script script(R"lua(
local t = redis.call('TIME')
local now = string.format('%.0f', t[1] * 1000 + math.floor(t[2] / 1000))
return redis.call('HSET', KEYS[1], ARGV[1], now .. ' ' .. ARGV[2])
)lua");
  return script;
}

const redis::Script& publish_script() {
  static const redis::Script script(R"lua(
local t = redis.call('TIME')
local now = string.format('%.0f', t[1] * 1000 + math.floor(t[2] / 1000))
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], now)
for i = 3, #KEYS do redis.call('PEXPIRE', KEYS[i], ARGV[3]) end
return 1
)lua");
  return script;
}

const redis::Script& withdraw_script() {
  static const redis::Script script(R"lua(
local removed = redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('SREM', KEYS[3], ARGV[1])
for i = 4, #KEYS do removed = removed + redis.call('UNLINK', KEYS[i]) end
return removed
)lua");
  return script;
}

// What has no time was not announced by a worker. After a failover to a server whose clock is
// behind, ages are negative until the worker announces itself again.
const redis::Script& hosts_script() {
  static const redis::Script script(R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local all = redis.call('HGETALL', KEYS[1])
local answer = {}
for i = 1, #all, 2 do
  local at, host = string.match(all[i + 1], '^(%d+) (.*)$')
  local age = at and math.max(0, now - tonumber(at))
  if not age or age > tonumber(ARGV[1]) then
    redis.call('HDEL', KEYS[1], all[i])
  else
    answer[#answer + 1] = all[i]
    answer[#answer + 1] = age
    answer[#answer + 1] = host
  end
end
return answer
)lua");
  return script;
}

const redis::Script& window_script() {
  static const redis::Script script(R"lua(
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local pending = redis.pcall('XPENDING', KEYS[1], ARGV[1])
local known = 1
if pending.err then
  if string.sub(pending.err, 1, 7) ~= 'NOGROUP' then return pending end
  known, pending = 0, {0}
end
local workers = 0
for _, worker in ipairs(redis.call('HVALS', KEYS[5])) do
  local at = string.match(worker, '^(%d+) ')
  if at and now - tonumber(at) <= tonumber(ARGV[2]) then workers = workers + 1 end
end
return {known, redis.call('XLEN', KEYS[1]), pending[1], redis.call('XLEN', KEYS[2]),
        redis.call('GET', KEYS[3]), redis.call('GET', KEYS[4]), workers}
)lua");
  return script;
}

}  // namespace tidemill::fleet
