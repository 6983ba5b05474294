/**
 * KEYS a room's reply ids by when they are forgotten, one reply's events; ARGV ms, reply id, how
 * many events Redis should hold already, and those that follow. Answers how many it held where
 * that is too few (nothing is added then), else how many it holds now.
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

/** KEYS a room's reply ids; ARGV how the keys of their events begin. Answers the events of each. */
export const LIST = `
local answer = {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  answer[#answer + 1] = redis.call('LRANGE', ARGV[1] .. id, 0, -1)
end
return answer`;
