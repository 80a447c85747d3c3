-- The heartbeat of a consumer: restarts the idle time of its batches, so that no other consumer
-- claims them. XCLAIM alone would also take back a batch that another consumer has claimed.
--   KEYS stream    ARGV group, consumer, entries…
--   returns the entries that this consumer still holds
local own = {}
for i = 3, #ARGV do
  if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[i], ARGV[i], 1, ARGV[2]) == 1 then
    redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[i], 'JUSTID')
    own[#own + 1] = ARGV[i]
  end
end
return own
