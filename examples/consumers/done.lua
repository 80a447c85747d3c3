-- Acknowledges a batch and removes it from the stream, if this consumer still holds it. A plain
-- XACK acknowledges it whoever holds it.
--   KEYS stream    ARGV group, consumer, entry
--   returns 1 if this call removed it, 0 if another consumer holds it or it was done before
if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1, ARGV[2]) == 0 then return 0 end
redis.call('XACK', KEYS[1], ARGV[1], ARGV[3])
redis.call('XDEL', KEYS[1], ARGV[3])
return 1
