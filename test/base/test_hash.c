#include "test.h"

#include "base/hash.h"

TEST(hash_sees_every_bit_and_the_length)
{
    unsigned char bytes[40] = {0};
    uint64_t seen[40 * 8 + 41];
    int count = 0;
    for (int length = 0; length <= 40; ++length)
        seen[count++] = fil_hash_bytes(0, bytes, (size_t)length);
    for (int bit = 0; bit < 40 * 8; ++bit) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        seen[count++] = fil_hash_bytes(0, bytes, sizeof bytes);
        bytes[bit / 8] = 0;
    }
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < i; ++j)
            ck_assert(seen[i] != seen[j]);
}

TEST(hash_goes_on_from_what_it_has_seen)
{
    ck_assert(fil_hash_bytes(fil_hash_bytes(0, "ab", 2), "c", 1) != fil_hash_bytes(fil_hash_bytes(0, "a", 1), "bc", 2));
    ck_assert(fil_hash_bytes(0, "abc", 3) == fil_hash_bytes(0, "abc", 3));
}
