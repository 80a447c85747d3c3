#include "tidemill/state/queue/bull_scripts.h"

namespace tidemill::queue {
namespace {

constexpr std::string_view kOpen = R"lua(
local now = redis.call('GET', KEYS[1])
if now and string.match(now, '^[^ ]+') ~= ARGV[1] then
  return {'held', now, redis.call('PTTL', KEYS[1])}
end
if now then
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
else
  redis.call('SET', KEYS[1], ARGV[2], 'NX', 'PX', ARGV[3])
end
return {'ok', redis.call('HGET', KEYS[2], ARGV[4])}
)lua";

// Where a job goes while the queue is paused: up to version 5 to `paused`, which resuming renames
// to `wait`, overwriting it; from version 6 on to `wait`, and resuming puts the jobs of `paused` in
// front. So `paused` is safe with all versions. `wait` is safe only if the queue is certainly of
// version 6 (bullmq-pro has its own version numbers) and `paused` is empty.
//
// The lists and the marker are written once for all jobs. Redis does not roll back a script, so
// whatever can fail fails at the first write, before any job is stored.
constexpr std::string_view kAdd = R"lua(
local call = redis.call
local holder = call('GET', KEYS[1])
if not holder then return {'free'} end
if holder ~= ARGV[1] then return {'stale', holder} end
local known = call('HGET', KEYS[2], ARGV[2])
local last = known and tonumber(string.match(known, '^[^ ]* (%d+)')) or 0
local first = tonumber(ARGV[3])
if first ~= last + 1 then return {'gap', last} end

local base = ARGV[5]
local resends = ARGV[10] == '1'
local keys = {}
for i = 11, #ARGV, 2 do keys[#keys + 1] = base .. ARGV[i] end
local is_fresh = call('EXISTS', unpack(keys)) == 0
local ids, news, seen, old, fates = {}, {}, {}, {}, {}
for i = 11, #ARGV, 2 do
  local id = ARGV[i]
  local fate = 'a'
  if seen[id] then
    fate = 'w'
  elseif not is_fresh and call('EXISTS', base .. id) == 1 then
    fate = 'w'
    for _, state in ipairs({'completed', 'failed'}) do
      if call('ZSCORE', base .. state, id) then
        fate = string.sub(state, 1, 1)
        if resends then fate, old[id] = 'a', state end
      end
    end
  end
  if fate == 'a' then
    seen[id] = true
    ids[#ids + 1] = id
    news[#news + 1] = i
  end
  fates[#fates + 1] = fate
end

if #ids > 0 then
  local meta = call('HMGET', KEYS[5], 'paused', 'version', 'concurrency', 'opts.maxLenEvents')
  local target = KEYS[3]
  if meta[1] then
    local major = tonumber(string.match(meta[2] or '', '^bullmq:(%d+)')) or 0
    if major < 6 or call('EXISTS', KEYS[4]) == 1 then target = KEYS[4] end
  end
  call('LPUSH', target, unpack(ids))
  call('INCRBY', KEYS[6], #ids)
  local name, head, tail, at = ARGV[6], ARGV[7], ARGV[8], ARGV[9]
  for n, i in ipairs(news) do
    local id = ids[n]
    if old[id] then
      call('ZREM', base .. old[id], id)
      local key = base .. id
      call('DEL', key, key .. ':logs', key .. ':dependencies', key .. ':processed',
           key .. ':failed', key .. ':unsuccessful')
      call('XADD', KEYS[7], '*', 'event', 'removed', 'jobId', id, 'prev', old[id])
    end
    call('HSET', base .. id, 'name', name, 'data', ARGV[i + 1], 'opts', head .. id .. tail,
         'timestamp', at, 'delay', '0', 'priority', '0')
    call('XADD', KEYS[7], '*', 'event', 'added', 'jobId', id, 'name', name)
    call('XADD', KEYS[7], '*', 'event', 'waiting', 'jobId', id)
  end
  call('XTRIM', KEYS[7], 'MAXLEN', '~', meta[4] or '10000')
  if not meta[1] and not (meta[3] and call('LLEN', KEYS[9]) >= tonumber(meta[3])) then
    call('ZADD', KEYS[8], 0, '0')
  end
end
call('HSET', KEYS[2], ARGV[2], ARGV[4])
return {'ok', table.concat(fates)}
)lua";

constexpr std::string_view kComplete = R"lua(
local holder = redis.call('GET', KEYS[1])
if not holder then return {'free'} end
if holder ~= ARGV[1] then return {'stale', holder} end
local known = redis.call('HGET', KEYS[2], ARGV[2]) or (ARGV[4] .. ' 0 0 ')
local run, last, is_complete, cursor = string.match(known, '^([^ ]*) (%d+) ([01]) (.*)$')
if last ~= ARGV[3] then
  if is_complete ~= '1' or ARGV[3] ~= '0' then return {'gap', tonumber(last)} end
  run, last, cursor = ARGV[4], '0', ''
end
redis.call('HSET', KEYS[2], ARGV[2], run .. ' ' .. last .. ' 1 ' .. cursor)
return {'ok'}
)lua";

}  // namespace

std::string_view hash_tag_of(std::string_view key) {
  const auto open = key.find('{');
  if (open == std::string_view::npos) return {};
  const auto close = key.find('}', open);
  if (close == std::string_view::npos || close == open + 1) return {};
  return key.substr(open, close - open + 1);
}

BullKeys bull_keys(std::string_view prefix, std::string_view queue, std::string_view directory) {
  const std::string base = std::string(prefix) + ":" + std::string(queue) + ":";
  const std::string_view tag = hash_tag_of(base);
  return {
      .base = base,
      .wait = base + "wait",
      .paused = base + "paused",
      .active = base + "active",
      .delayed = base + "delayed",
      .prioritized = base + "prioritized",
      .meta = base + "meta",
      .id = base + "id",
      .events = base + "events",
      .marker = base + "marker",
      .standing = base + "tidemill:standing",
      .lock =
          std::string(tag) + (tag.empty() ? "" : ":") + "discovery-lock:" + std::string(directory),
  };
}

BullJobOptions bull_job_options(std::uint32_t attempts, std::chrono::milliseconds backoff) {
  return {
      .head = R"({"attempts":)" + std::to_string(attempts) + R"(,"backoff":{"delay":)" +
              std::to_string(backoff.count()) + R"(,"type":"exponential"},"jobId":")",
      .tail = R"(","removeOnComplete":true,"removeOnFail":false})",
  };
}

const redis::Script& bull_open_script() {
  static const redis::Script script(kOpen);
  return script;
}

const redis::Script& bull_add_script() {
  static const redis::Script script(kAdd);
  return script;
}

const redis::Script& bull_complete_script() {
  static const redis::Script script(kComplete);
  return script;
}

}  // namespace tidemill::queue
