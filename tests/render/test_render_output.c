/* Compression and rounding in nbrender: zlib reads its zlib streams, its GIF codes are checked with the
 * specification, its Huffman codes with the theorem of their cost; the thresholds of dither. The parts of the tool
 * are compiled into this test. */
#include "nbrender/output/deflate.c"
#include "nbrender/output/dither.c"
#include "nbrender/output/huffman.c"
#undef END
#include "nbrender/output/lzw.c"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <zlib.h>

#include <cmocka.h>

static uint32_t next_random(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

/* Packs the bytes in parts of `part` and unpacks them with zlib; returns the packed size. */
static size_t round_trip(const unsigned char *from, size_t size, size_t part)
{
    unsigned char *packed = malloc((size / part + 1) * DEFLATE_MOST), *back = malloc(size + 1);
    struct deflate *d = deflate_begin();
    size_t n = 0;
    uLongf got = size + 1;
    for (size_t at = 0; at == 0 || at < size; at += part) {
        size_t count = size - at < part ? size - at : part, more;
        more = deflate_part(d, from + at, count, at + part >= size, packed + n);
        assert_true(more <= DEFLATE_MOST - 8);
        n += more;
    }
    deflate_end(d);
    assert_int_equal(uncompress(back, &got, packed, n), Z_OK);
    assert_int_equal(got, size);
    if (size > 0)
        assert_memory_equal(back, from, size);
    free(packed);
    free(back);
    return n;
}

static void test_runs(void **state)
{
    (void)state;
    unsigned char bytes[2000];
    for (size_t zeros = 0; zeros <= 800; zeros++) /* all lengths about the longest run, between other bytes */
        for (int with = 0; with < 2; with++) {
            memset(bytes, 7, sizeof bytes);
            memset(bytes + 1, 0, zeros);
            round_trip(bytes + !with, with ? zeros + 2 : zeros, DEFLATE_PART);
        }
    memset(bytes, 0, sizeof bytes);
    for (size_t part = 1; part < 12; part++)
        round_trip(bytes, 100, part);
    round_trip(bytes, 0, DEFLATE_PART);
}

static void test_any_bytes(void **state)
{
    (void)state;
    const size_t size = 2 * DEFLATE_PART + 12345;
    unsigned char *bytes = malloc(size);
    for (size_t k = 0; k < size; k++)
        bytes[k] = (unsigned char)next_random();
    size_t packed = round_trip(bytes, size, DEFLATE_PART);
    assert_true(packed > size && packed < size + size / 100); /* noise cannot become less */
    for (int zeros = 2; zeros < 60; zeros += 7) {
        for (size_t k = 0; k < size; k++)
            bytes[k] = next_random() % (unsigned)zeros ? 0 : (unsigned char)next_random();
        assert_true(round_trip(bytes, size, DEFLATE_PART) < size);
    }
    memset(bytes, 0, size);
    assert_true(round_trip(bytes, size, DEFLATE_PART) < size / 500);
    free(bytes);
}

/* GIF89a specification, appendix F, written for clarity: strings are looked up by walking their prefixes. */
static size_t lzw_unpack(const unsigned char *from, unsigned char *to, size_t most)
{
    static int prefix[4096], byte[4096];
    const int symbol_bits = *from++, clear_code = 1 << symbol_bits;
    size_t block = 0, n = 0;
    int bits = symbol_bits + 1, next = clear_code + 2, before = -1, have = 0;
    uint32_t value = 0;
    for (;;) {
        for (; have < bits; have += 8) {
            if (block == 0) {
                block = *from++;
                assert_true(block > 0);
            }
            value |= (uint32_t)*from++ << have;
            block--;
        }
        const int code = (int)(value & ((1u << bits) - 1));
        value >>= bits;
        have -= bits;
        if (code == clear_code + 1) {
            assert_true(block == 0 && *from == 0 && value == 0);
            return n;
        }
        if (code == clear_code) {
            bits = symbol_bits + 1;
            next = clear_code + 2;
            before = -1;
            continue;
        }
        assert_true(code < next || (code == next && before >= 0));
        unsigned char reversed[4096];
        int length = 0, first = code == next ? before : code;
        for (; first >= clear_code; first = prefix[first])
            reversed[length++] = (unsigned char)byte[first];
        reversed[length++] = (unsigned char)first;
        for (int k = length - 1; k >= 0; k--) {
            assert_true(n < most);
            to[n++] = reversed[k];
        }
        if (code == next) {
            assert_true(n < most);
            to[n++] = (unsigned char)first;
        }
        if (before >= 0 && next < 4096) {
            prefix[next] = before;
            byte[next++] = first;
        }
        bits += next == 1 << bits && bits < 12;
        before = code;
    }
}

static void test_lzw(void **state)
{
    (void)state;
    static unsigned char bytes[40000], packed[LZW_MOST(sizeof bytes)], back[sizeof bytes];
    struct lzw *w = lzw_begin();
    for (unsigned values = 1; values <= 256; values *= 4) {
        for (size_t k = 0; k < sizeof bytes; k++)
            bytes[k] = (unsigned char)(next_random() % values);
        for (size_t n = 1; n < sizeof bytes; n += n < 1900 ? 1 : 7777) { /* codes become longer at the end of one */
            assert_true(lzw_pack(w, bytes, n, packed) <= LZW_MOST(n));
            assert_int_equal(lzw_unpack(packed, back, n), n);
            assert_memory_equal(back, bytes, n);
        }
    }
    lzw_end(w);
}

/* Counts like Fibonacci's numbers ask for codes of many more bits than are allowed. */
static void test_long_codes(void **state)
{
    (void)state;
    unsigned char *bytes = malloc(DEFLATE_PART);
    size_t n = 0;
    unsigned a = 1, b = 1;
    for (int symbol = 1; n + b < DEFLATE_PART; symbol++) {
        for (unsigned k = 0; k < b; k++)
            bytes[n++] = (unsigned char)(symbol * 3);
        unsigned sum = a + b;
        a = b;
        b = sum;
    }
    round_trip(bytes, n, DEFLATE_PART);
    free(bytes);
}

/* A prefix code fills Kraft's sum; Huffman's costs at least the entropy and less than a bit a symbol more. */
static void test_huffman(void **state)
{
    (void)state;
    for (int turn = 0; turn < 300; turn++) {
        uint32_t count[HUFFMAN_SYMBOLS_MAX];
        struct huffman h;
        double kraft = 0, total = 0, cost = 0, entropy = 0;
        int symbols = 2 + (int)(next_random() % 280), most = turn % 2 ? 15 : 9;
        for (int k = 0; k < symbols; k++)
            total += count[k] = next_random() >> (next_random() % 31);
        huffman_make(&h, count, symbols, most);
        for (int k = 0; k < symbols; k++) {
            assert_true((count[k] > 0) == (h.bits[k] > 0) && h.bits[k] <= most);
            kraft += h.bits[k] ? ldexp(1, -h.bits[k]) : 0;
            cost += (double)count[k] * h.bits[k];
            entropy += count[k] ? count[k] * log2(total / count[k]) : 0;
        }
        assert_true(kraft == 1);
        assert_true(cost >= entropy * (1 - 1e-12));
        assert_true(most == 9 || cost < entropy + total);
    }
}

/* Every rank once; and of neighbours few are alike, as blue noise has it: averages of 4 x 4 places vary less than half
 * as much as they would at random. */
static void test_dither(void **state)
{
    (void)state;
    static bool seen[DITHER_SIDE * DITHER_SIDE];
    double sum2 = 0;
    dither_prepare();
    for (int y = 0; y < DITHER_SIDE; y++)
        for (int x = 0; x < DITHER_SIDE; x++) {
            double rank = dither_row(true, 0, y)[x] * DITHER_SIDE * DITHER_SIDE - 0.5;
            assert_true(rank >= 0 && rank < DITHER_SIDE * DITHER_SIDE && rank == floor(rank) && !seen[(int)rank]);
            seen[(int)rank] = true;
        }
    for (int y = 0; y < DITHER_SIDE; y += 4)
        for (int x = 0; x < DITHER_SIDE; x += 4) {
            double mean = 0;
            for (int k = 0; k < 16; k++)
                mean += dither_row(true, 0, y + k / 4)[x + k % 4] / 16.0;
            sum2 += (mean - 0.5) * (mean - 0.5);
        }
    double random = 1.0 / 12 / 16 * (DITHER_SIDE / 4) * (DITHER_SIDE / 4);
    assert_true(sum2 < random / 4);
    for (int k = 0; k < 3; k++)
        for (int x = 0; x < DITHER_SIDE; x++)
            assert_true(dither_row(false, k, 5)[x] == 0.5f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),    cmocka_unit_test(test_any_bytes), cmocka_unit_test(test_long_codes),
        cmocka_unit_test(test_huffman), cmocka_unit_test(test_dither),    cmocka_unit_test(test_lzw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
