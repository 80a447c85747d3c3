-- A batch is done: takes it out of the stream, if it is still in this consumer's hands. Plain XACK
-- would take it from anybody.
--   KEYS stream    ARGV group, consumer, entry
--   1: it was done by this call. 0: somebody else has it, or it was done before
if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1, ARGV[2]) == 0 then return 0 end
redis.call('XACK', KEYS[1], ARGV[1], ARGV[3])
redis.call('XDEL', KEYS[1], ARGV[3])
return 1
