/* Changes that the fuzzer makes to a stream: to bytes, words of its texts, entire blocks, its end. Most changed
 * streams have correct checksums, some do not. */
#include "fuzz_stream.h"

#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static const char *const words[] = {"0",
                                    "1",
                                    "2",
                                    "3",
                                    "-1",
                                    "18446744073709551615",
                                    "9223372036854775808",
                                    "4611686018427387904",
                                    "164703072086692425",
                                    "1e400",
                                    "nan",
                                    "inf",
                                    "-0",
                                    "0x10",
                                    "1e-400",
                                    "-1e308",
                                    "1e308",
                                    "u8",
                                    "u32",
                                    "u64",
                                    "f32",
                                    "f64",
                                    "f16",
                                    "mass",
                                    "pos",
                                    "vel",
                                    "id",
                                    "component",
                                    "acc",
                                    "phi",
                                    "softening",
                                    "n",
                                    "time",
                                    "G",
                                    "dt",
                                    "dt_asked",
                                    "dynamical_time",
                                    "step",
                                    "units",
                                    "length_cgs",
                                    "origin",
                                    "every",
                                    "force",
                                    "column",
                                    "history",
                                    "checksum",
                                    "nbs",
                                    "header",
                                    "frame",
                                    "frames",
                                    "column x f64 1 -\n",
                                    "column header u8 3 -\n",
                                    "column mass f64 1 M\n",
                                    "history \n",
                                    "history 1 - a b c d\n",
                                    "force auto\n",
                                    "n 1\n",
                                    "foo bar\n",
                                    "foo bar\nfoo bar\n",
                                    " ",
                                    "\n",
                                    "\n\n",
                                    "",
                                    "4294967296",
                                    "1000000000000000",
                                    "00000000000000000000002",
                                    "nbs 1 frame\n",
                                    "nbs 1 trailer\n"};

static size_t below(size_t limit)
{
    return limit ? (size_t)rand() % limit : 0;
}

/* The place behind some blank or newline of some text block; 0: there is none. */
static size_t choose_word(const uint8_t *data, size_t size)
{
    size_t chosen = 0, seen = 0;
    for (size_t at = 0; at < size;) {
        const uint8_t *begin = memmem(data + at, size - at, "nbs 1 ", 6);
        const uint8_t *end = begin ? memmem(begin, size - (size_t)(begin - data), "\nchecksum ", 10) : NULL;
        if (!end)
            break;
        for (const uint8_t *c = begin; c < end; c++)
            if ((*c == ' ' || *c == '\n') && below(++seen) == 0)
                chosen = (size_t)(c - data) + 1;
        at = (size_t)(end - data) + 1;
    }
    return chosen;
}

/* Bytes [at, at + old) become others. */
static size_t replace(uint8_t *data, size_t size, size_t max, size_t at, size_t old, const void *with, size_t count)
{
    if (size - old + count > max)
        return size;
    memmove(data + at + count, data + at + old, size - at - old);
    if (count)
        memcpy(data + at, with, count);
    return size - old + count;
}

static size_t change_word(uint8_t *data, size_t size, size_t max)
{
    static char long_word[4000];
    const char *word = words[below(sizeof words / sizeof *words)];
    size_t at = choose_word(data, size), end = at, length = strlen(word);
    if (at == 0)
        return size;
    const char *stop = below(5) ? " \n" : "\n"; /* a word, or the rest of the line */
    while (end < size && !memchr(stop, data[end], strlen(stop)))
        end++;
    if (below(40) == 0) {
        memset(long_word, "x0 \n"[below(4)], sizeof long_word);
        word = long_word;
        length = below(sizeof long_word);
    }
    return replace(data, size, max, at, end - at, word, length);
}

/* Swaps, copies in or removes runs of blocks of 64 bytes, which parts of a stream consist of. */
static size_t move_blocks(uint8_t *data, size_t size, size_t max)
{
    size_t blocks = size / 64, from = below(blocks), to = below(blocks), count = 1 + below(24);
    if (blocks == 0)
        return size;
    count = count < blocks - from ? count : blocks - from;
    uint8_t *copy = malloc(64 * count);
    memcpy(copy, data + 64 * from, 64 * count);
    switch (below(4)) {
    case 0: size = replace(data, size, max, 64 * from, 64 * count, NULL, 0); break;
    case 1: size = replace(data, size, max, 64 * to, 0, copy, 64 * count); break;
    case 2:
        count = count < blocks - to ? count : blocks - to;
        memmove(data + 64 * from, data + 64 * to, 64 * count);
        memcpy(data + 64 * to, copy, 64 * count);
        break;
    default: count = count < blocks - to ? count : blocks - to; memcpy(data + 64 * to, copy, 64 * count);
    }
    free(copy);
    return size;
}

/* Exchanges two frames or copies one over the other: from header to header. */
static size_t exchange_frames(uint8_t *data, size_t size, size_t max)
{
    size_t begin[32], count = 0;
    for (const uint8_t *at = data; count < 32 && (at = memmem(at, size - (size_t)(at - data), "nbs 1 frame\n", 12));
         at++)
        begin[count++] = (size_t)(at - data);
    if (count < 3)
        return size;
    size_t i = below(count - 1), j = below(count - 1), length = begin[i + 1] - begin[i];
    uint8_t *copy = malloc(length);
    memcpy(copy, data + begin[i], length);
    size = replace(data, size, max, begin[j], below(3) ? begin[j + 1] - begin[j] : 0, copy, length);
    free(copy);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    srand(seed);
    switch (below(12)) {
    case 0:
    case 1:
    case 2: size = LLVMFuzzerMutate(data, size, max_size); break;
    case 3: return size > 1 ? 1 + below(size) : size;
    case 4:
    case 5: size = move_blocks(data, size, max_size); break;
    case 6: size = exchange_frames(data, size, max_size); break;
    default:
        for (size_t times = 1 + below(3); times > 0; times--)
            size = change_word(data, size, max_size);
    }
    size_t level = below(4);
    return level ? fuzz_stream_mend(data, size, max_size, (int)level) : size;
}
