#include "src/adapters/redis/scripts.hpp"

namespace liftwarden::redis {

// The count of re-entries must be a positive number: a read-write lock keeps other fields beside
// its holders. A holder that is not ours to compare is for people and cut short.
const char* const check_script = R"(
local function any_field()
  if redis.call('HLEN', KEYS[1]) > 64 then return 'one of many' end
  return string.sub(redis.call('HKEYS', KEYS[1])[1], 1, 256)
end
local kind = redis.call('TYPE', KEYS[1]).ok
local match, holder = 0, ''
if kind == 'hash' then
  local count = redis.call('HGET', KEYS[1], ARGV[1])
  if count and (tonumber(count) or 0) >= 1 then
    match = 1
  else
    holder = any_field()
  end
elseif kind == 'string' then
  holder = redis.call('GET', KEYS[1])
  if holder == ARGV[1] then match = 1 end
end
if match == 1 then holder = ARGV[1] else holder = string.sub(holder, 1, 256) end
local counter = ''
if KEYS[2] then
  counter = redis.pcall('GET', KEYS[2]) or ''
  if type(counter) == 'table' then
    if not string.find(counter.err, 'WRONGTYPE') then return counter end
    counter = '?'
  end
  counter = string.sub(counter, 1, 32)
end
local now = redis.call('TIME')
return {ARGV[2], kind, match, holder, redis.call('PTTL', KEYS[1]), counter, now[1], now[2]}
)";

// The field stays at 1: a count that grew with each renewal would need as many releases.
const char* const hold_hash_script = R"(
local function any_field()
  if redis.call('HLEN', KEYS[1]) > 64 then return 'one of many' end
  return string.sub(redis.call('HKEYS', KEYS[1])[1], 1, 256)
end
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'none' then
  if kind ~= 'hash' then return {'foreign', 'a ' .. kind} end
  if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
    return {'foreign', any_field()}
  end
end
redis.call('HSET', KEYS[1], ARGV[1], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {'ours', ''}
)";

const char* const hold_string_script = R"(
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return {'ours', ''}
end
if kind ~= 'string' then return {'foreign', 'a ' .. kind} end
local holder = redis.call('GET', KEYS[1])
if holder ~= ARGV[1] then return {'foreign', string.sub(holder, 1, 256)} end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return {'ours', ''}
)";

// Counters are compared as text: numbers of Lua are exact only up to 2^53. What is no whole number
// is replaced, as INCR could not go on from it either.
const char* const return_hash_script = R"(
local function any_field()
  if redis.call('HLEN', KEYS[1]) > 64 then return 'one of many' end
  return string.sub(redis.call('HKEYS', KEYS[1])[1], 1, 256)
end
local given = ARGV[2]
if KEYS[2] and given ~= '0' then
  local now = redis.call('GET', KEYS[2]) or ''
  local lower = not string.find(now, '^%d+$') or #now < #given or (#now == #given and now < given)
  if lower then redis.call('SET', KEYS[2], given) end
end
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return {'gone', ''} end
if kind ~= 'hash' then return {'gone', 'a ' .. kind} end
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return {'gone', any_field()}
end
redis.call('DEL', KEYS[1])
local woken = redis.pcall('PUBLISH', ARGV[3], '0')
if type(woken) == 'table' then return {'ours', woken.err} end
return {'ours', ''}
)";

const char* const return_string_script = R"(
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return {'gone', ''} end
if kind ~= 'string' then return {'gone', 'a ' .. kind} end
local holder = redis.call('GET', KEYS[1])
if holder ~= ARGV[1] then return {'gone', string.sub(holder, 1, 256)} end
redis.call('DEL', KEYS[1])
return {'ours', ''}
)";

}  // namespace liftwarden::redis
