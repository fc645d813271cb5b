// Eight bytes at a time: exclusive or, multiply by an odd number, fold the high half down. The length is part of it.
#include "base/hash.h"

#include <string.h>

uint64_t fil_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    // The length is mixed in on its own, or a bit of the first word could undo it.
    hash = (hash ^ (0x9e3779b97f4a7c15u + size)) * 0xc4ceb9fe1a85ec53u;
    hash ^= hash >> 32;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, at + i, size - i < 8 ? size - i : 8);
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    return hash;
}
