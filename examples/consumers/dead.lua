-- Moves a failed batch from the stream to the dead letters, if this consumer still holds it.
-- `tidemill queue` lists, retries and drops dead letters.
--   KEYS stream, dead    ARGV group, consumer, entry, reason
--   returns 1 if this call moved it, 0 if another consumer holds it or it was done before
local hand = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1, ARGV[2])[1]
if not hand then return 0 end
local entry = redis.call('XRANGE', KEYS[1], ARGV[3], ARGV[3])[1]
if entry then
  local fields = {}
  for i = 1, #entry[2], 2 do fields[entry[2][i]] = entry[2][i + 1] end
  redis.call('XADD', KEYS[2], '*', 'id', fields.id or '', 'source', ARGV[3], 'reason', ARGV[4],
             'consumer', ARGV[2], 'deliveries', hand[4], 'batch', fields.batch or '')
end
redis.call('XACK', KEYS[1], ARGV[1], ARGV[3])
redis.call('XDEL', KEYS[1], ARGV[3])
return 1
