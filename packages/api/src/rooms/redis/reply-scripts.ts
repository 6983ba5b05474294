/**
 * Lua script that appends events of a reply. KEYS: the room's reply ids by expiry, the reply's
 * events. ARGV: the lease in milliseconds, the reply id, the number of events that Redis should
 * hold, the events that follow. Returns the number of events that Redis now holds. If Redis held
 * fewer than it should, the script adds none.
 */
export const APPEND = `
local held, known = redis.call('LLEN', KEYS[2]), tonumber(ARGV[3])
if held < known then return held end
for n = 4, #ARGV do
  if known + n - 4 >= held then redis.call('RPUSH', KEYS[2], ARGV[n]) end
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[1])
return redis.call('LLEN', KEYS[2])`;

/**
 * Lua script that lists a room's replies. KEYS: the room's reply ids. ARGV: the prefix of the event
 * keys. Returns the events of each reply.
 */
export const LIST = `
local answer = {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  answer[#answer + 1] = redis.call('LRANGE', ARGV[1] .. id, 0, -1)
end
return answer`;
