// A quick 64-bit hash: tells models and damaged files apart; no shield against an attacker. See hash.c.
#ifndef FIL_BASE_HASH_H
#define FIL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

// Of `size` bytes after all that `hash` has seen; begin with 0.
uint64_t fil_hash_bytes(uint64_t hash, const void *bytes, size_t size);

#endif
