/**
 * Presence in Redis. Per room a sorted set of participants by the time their last lease runs out,
 * and a hash of what they are called; per participant in a room a sorted set of leases. Each step
 * is one script, so that two servers never act on half of it, and Redis's own clock rules. Every
 * key runs out with its last lease: what nobody renews leaves nothing behind.
 */
const shared = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function last(key)
  return tonumber(redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2])
end

local function drop_gone(here, names)
  local gone = redis.call('ZRANGEBYSCORE', here, '-inf', now)
  for _, id in ipairs(gone) do
    redis.call('ZREM', here, id)
    redis.call('HDEL', names, id)
  end
end

local function expire_with_last(here, names)
  local ends = last(here)
  if not ends then return end
  redis.call('PEXPIREAT', here, ends)
  redis.call('PEXPIREAT', names, ends)
end
`;

/**
 * KEYS here, names, then one set of leases each; ARGV per lease: connection, id, participant, ms.
 * Answers 1 when somebody is here now who was not before.
 */
export const RENEW = `${shared}
drop_gone(KEYS[1], KEYS[2])
local joined = 0
for n = 3, #KEYS do
  local at = (n - 3) * 4
  local connection, id, participant = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  local expires = now + tonumber(ARGV[at + 4])
  if not redis.call('ZSCORE', KEYS[1], id) then joined = 1 end
  redis.call('ZREMRANGEBYSCORE', KEYS[n], '-inf', now)
  redis.call('ZADD', KEYS[n], 'GT', expires, connection)
  redis.call('PEXPIREAT', KEYS[n], last(KEYS[n]))
  redis.call('ZADD', KEYS[1], 'GT', expires, id)
  redis.call('HSET', KEYS[2], id, participant)
end
expire_with_last(KEYS[1], KEYS[2])
return joined`;

/** KEYS here, names, leases; ARGV connection, id, grace in ms. */
export const RELEASE = `${shared}
local expires = redis.call('ZSCORE', KEYS[3], ARGV[1])
if not expires then return end
redis.call('ZADD', KEYS[3], math.min(tonumber(expires), now + tonumber(ARGV[3])), ARGV[1])
local ends = last(KEYS[3])
redis.call('ZADD', KEYS[1], ends, ARGV[2])
redis.call('PEXPIREAT', KEYS[3], ends)
expire_with_last(KEYS[1], KEYS[2])`;

/**
 * KEYS here, names, the former one's leases, the new one's leases; ARGV the former one's
 * connection and id, the new one's connection, id and participant. Answers 1 when there was a lease.
 */
export const ADOPT = `${shared}
drop_gone(KEYS[1], KEYS[2])
local expires = tonumber(redis.call('ZSCORE', KEYS[3], ARGV[1]) or 0)
if expires <= now then return 0 end
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
local left = last(KEYS[3])
if left then
  redis.call('ZADD', KEYS[1], left, ARGV[2])
else
  redis.call('ZREM', KEYS[1], ARGV[2])
  redis.call('HDEL', KEYS[2], ARGV[2])
end
if not redis.call('ZSCORE', KEYS[1], ARGV[4]) then
  redis.call('ZADD', KEYS[4], expires, ARGV[3])
  redis.call('PEXPIREAT', KEYS[4], expires)
  redis.call('ZADD', KEYS[1], expires, ARGV[4])
  redis.call('HSET', KEYS[2], ARGV[4], ARGV[5])
end
expire_with_last(KEYS[1], KEYS[2])
return 1`;

/** KEYS here, names. Answers participant, ms left, participant, ms left … */
export const LIST = `${shared}
drop_gone(KEYS[1], KEYS[2])
local here = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
local answer = {}
for n = 1, #here, 2 do
  local participant = redis.call('HGET', KEYS[2], here[n])
  if participant then
    answer[#answer + 1] = participant
    answer[#answer + 1] = tonumber(here[n + 1]) - now
  end
end
return answer`;
