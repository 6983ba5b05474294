/**
 * Presence in Redis. Each room has a sorted set of participant ids by the expiry of their last
 * lease. A hash holds its participants as JSON. Each participant in a room has a sorted set of
 * leases. Scripts make each step atomic and use the clock of Redis. Every key expires with its last
 * lease. A participant keeps the `since_id` of its first lease.
 */
const shared = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function last(key)
  return tonumber(redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2])
end

local function drop_expired(here, names)
  local expired = redis.call('ZRANGEBYSCORE', here, '-inf', now)
  for _, id in ipairs(expired) do
    redis.call('ZREM', here, id)
    redis.call('HDEL', names, id)
  end
end

local function since(id, names, participant)
  local known = string.match(redis.call('HGET', names, id) or '', '"since_id":(%d+)')
  if not known then return participant end
  return (string.gsub(participant, '"since_id":%w+', '"since_id":' .. known))
end

local function expire_with_last(here, names)
  local ends = last(here)
  if not ends then return end
  redis.call('PEXPIREAT', here, ends)
  redis.call('PEXPIREAT', names, ends)
end
`;

/**
 * Lua script that takes or renews leases. KEYS: the room's sorted set and hash, then the
 * participant's set of leases for each lease. ARGV, for each lease: connection, participant id,
 * participant as JSON, milliseconds. Returns 1 if a participant joined.
 */
export const RENEW = `${shared}
drop_expired(KEYS[1], KEYS[2])
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
  redis.call('HSET', KEYS[2], id, since(id, KEYS[2], participant))
end
expire_with_last(KEYS[1], KEYS[2])
return joined`;

/**
 * Lua script that shortens a lease. KEYS: the room's sorted set and hash, the participant's leases.
 * ARGV: connection, participant id, grace period in milliseconds.
 */
export const RELEASE = `${shared}
local expires = redis.call('ZSCORE', KEYS[3], ARGV[1])
if not expires then return end
redis.call('ZADD', KEYS[3], math.min(tonumber(expires), now + tonumber(ARGV[3])), ARGV[1])
local ends = last(KEYS[3])
redis.call('ZADD', KEYS[1], ends, ARGV[2])
redis.call('PEXPIREAT', KEYS[3], ends)
expire_with_last(KEYS[1], KEYS[2])`;

/**
 * Lua script that moves a lease to another participant. KEYS: the room's sorted set and hash, the
 * former participant's leases, the new one's leases. ARGV: the former connection and participant
 * id, the new connection and participant id, the new participant as JSON. Returns 0 if the former
 * participant had no such lease, else 1.
 */
export const ADOPT = `${shared}
drop_expired(KEYS[1], KEYS[2])
local expires = tonumber(redis.call('ZSCORE', KEYS[3], ARGV[1]) or 0)
if expires <= now then return 0 end
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now)
local left = last(KEYS[3])
local participant = since(ARGV[2], KEYS[2], ARGV[5])
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
  redis.call('HSET', KEYS[2], ARGV[4], participant)
end
expire_with_last(KEYS[1], KEYS[2])
return 1`;

/**
 * Lua script that lists the participants of a room. KEYS: the room's sorted set and hash. Returns a
 * flat list: each participant as JSON, then the milliseconds until the expiry of its last lease.
 */
export const LIST = `${shared}
drop_expired(KEYS[1], KEYS[2])
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
