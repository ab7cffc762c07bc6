// What is asked of the server, each one atomic. Full text every time: a restarted server has no
// cached scripts.
#pragma once

namespace liftwarden::redis {

// KEYS lock [counter]; ARGV claim, nonce. Returns nonce, type of the key, 1 if the claim is its
// holder, the holder, PTTL, the counter ("" none, "?" no text), seconds and microseconds of TIME.
extern const char* const check_script;

// KEYS lock; ARGV holder, milliseconds. Returns "ours", or "foreign" and who holds it.
extern const char* const hold_hash_script;
extern const char* const hold_string_script;

// KEYS lock [counter]; ARGV holder, counter, channel. Returns "ours" or "gone", and why nobody was
// woken or who holds it now, if so. A string has no counter and no channel.
extern const char* const return_hash_script;
extern const char* const return_string_script;

}  // namespace liftwarden::redis
