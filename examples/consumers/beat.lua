-- A consumer is alive: the batches in its hands count as delivered just now, so that nobody takes
-- them over. XCLAIM alone would also take back what somebody else has taken over meanwhile.
--   KEYS stream    ARGV group, consumer, entries…
--   the entries that are still its own
local own = {}
for i = 3, #ARGV do
  if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[i], ARGV[i], 1, ARGV[2]) == 1 then
    redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[i], 'JUSTID')
    own[#own + 1] = ARGV[i]
  end
end
return own
