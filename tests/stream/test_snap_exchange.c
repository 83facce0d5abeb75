/* Exchanged parts of streams: frames, headers, columns, footers, trailers, within a run and between runs of the same
 * layout. Each part is complete and has the size of the part that it replaces. Reading must detect every exchange: from
 * a file, from a pipe, frame by frame, with salvage.
 *
 *   test_snap_exchange [COUNT]   makes COUNT random exchanges (500), and prints the number of undetected ones */
#include "base/error.h"
#include "snap/snap.h"
#include "stream_builder.h"

enum { RUNS = 3, FRAMES = 6, BODIES = 2, PARTS = 5 }; /* header, three columns, footer */
enum { HEADER_PART, MASS, POS, VEL, FOOTER_PART };

struct piece { /* of a run's bytes */
    int run;
    size_t begin, size;
};

static struct bytes runs[RUNS];
static struct piece parts[RUNS][FRAMES][PARTS], ends[RUNS];

/* ---- the runs ---- */

static double value_of(double time, int column, int k)
{
    return 1000 * time + 100 * column + k;
}

static struct piece part_from(int run, size_t begin)
{
    return (struct piece){run, begin, runs[run].size - begin};
}

static void build_frame(int run, int frame)
{
    static const char *const names[] = {"mass", "pos", "vel"};
    struct bytes *s = &runs[run];
    struct piece *part = parts[run][frame];
    char header[512], footer[256] = "";
    double time = 100 * (run + 1) + frame;
    sprintf(header, "nbs 1 frame\nn %d\ntime %g\nstep %d\nG 1\n" COLUMNS, BODIES, time, 7 * (int)time);
    size_t begin = s->size;
    add_header(s, header);
    part[HEADER_PART] = part_from(run, begin);
    for (int c = 0; c < 3; c++) {
        double values[3 * BODIES];
        int count = c == 0 ? BODIES : 3 * BODIES;
        for (int k = 0; k < count; k++)
            values[k] = value_of(time, c, k);
        begin = s->size;
        add_column(s, footer, names[c], values, (size_t)count * sizeof *values);
        part[MASS + c] = part_from(run, begin);
    }
    begin = s->size;
    add_footer(s, footer);
    part[FOOTER_PART] = part_from(run, begin);
}

static void build_run(int run)
{
    struct bytes *s = &runs[run];
    for (int k = 0; k < FRAMES; k++)
        build_frame(run, k);
    size_t begin = s->size;
    add_end(s);
    ends[run] = part_from(run, begin);
}

/* Whether the frame is one of the runs', as its own time says. */
static bool is_right(const struct nb_bodies *b)
{
    static const char *const names[] = {"mass", "pos", "vel"};
    bool right = b->n == BODIES && (double)b->meta.step == 7 * b->meta.time;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < (c == 0 ? BODIES : 3 * BODIES); k++)
            right &= ((double *)nb_bodies_find(b, names[c])->data)[k] == value_of(b->meta.time, c, k);
    return right;
}

/* ---- exchanges ---- */

struct stream { /* what is to be read */
    struct piece frames[FRAMES + 1][PARTS];
    int count;
    int end; /* the run whose trailer closes it */
};

static void swap_parts(struct piece *a, struct piece *b, unsigned which)
{
    for (int k = 0; k < PARTS; k++)
        if (which >> k & 1) {
            struct piece t = a[k];
            a[k] = b[k];
            b[k] = t;
        }
}

static struct stream whole_run(int run)
{
    struct stream s = {.count = FRAMES, .end = run};
    memcpy(s.frames, parts[run], sizeof parts[run]);
    return s;
}

static void drop_frame(struct stream *s, int at)
{
    s->count--;
    memmove(s->frames[at], s->frames[at + 1], (size_t)(s->count - at) * sizeof *s->frames);
}

static void insert_frame(struct stream *s, int at, struct piece *frame)
{
    struct piece copy[PARTS];
    memcpy(copy, frame, sizeof copy);
    memmove(s->frames[at + 1], s->frames[at], (size_t)(s->count - at) * sizeof *s->frames);
    memcpy(s->frames[at], copy, sizeof copy);
    s->count++;
}

/* One exchange; it may happen to change nothing. */
static void exchange(struct stream *s)
{
    const unsigned all = (1 << PARTS) - 1, columns = 1 << MASS | 1 << POS | 1 << VEL;
    const unsigned sets[] = {all, 1 << HEADER_PART, 1 << FOOTER_PART, columns, all & ~columns, (unsigned)rand() & all};
    unsigned which = sets[rand() % 6];
    int run = rand() % RUNS, i = rand() % FRAMES, j = rand() % FRAMES;
    struct piece other[PARTS];
    memcpy(other, parts[run][j], sizeof other);
    if (s->count != FRAMES)
        return;
    switch (rand() % 6) {
    case 0: swap_parts(s->frames[i], s->frames[j], which); break;
    case 1: /* replaced by another's copy */
        memcpy(other, s->frames[j], sizeof other);
        swap_parts(s->frames[i], other, which);
        break;
    case 2: swap_parts(s->frames[i], other, which); break; /* of another run */
    case 3: s->end = run; break;
    case 4:
        insert_frame(s, i, s->frames[j]);
        drop_frame(s, rand() % s->count);
        break;
    default:
        if (rand() % 2)
            drop_frame(s, i);
        else
            insert_frame(s, i, rand() % 2 ? other : s->frames[j]);
    }
}

static void add_piece(struct bytes *b, struct piece piece)
{
    add(b, runs[piece.run].data + piece.begin, piece.size);
}

static struct bytes bytes_of(const struct stream *s)
{
    struct bytes b = {0};
    for (int k = 0; k < s->count; k++)
        for (int part = 0; part < PARTS; part++)
            add_piece(&b, s->frames[k][part]);
    add_piece(&b, ends[s->end]);
    return b;
}

/* ---- what is noticed ---- */

/* Reads to the end. All frames that come are right ones, and there is an error, or a warning of salvage. */
static bool is_noticed(const char *path, bool salvage)
{
    struct nb_snap_reader *r = nb_snap_open(path, salvage);
    struct nb_bodies b;
    int status, frames = 0;
    bool right = true, warned = false;
    nb_bodies_init(&b);
    while ((status = nb_snap_read(r, &b)) == 1) {
        right &= is_right(&b);
        warned |= nb_snap_damage(r) != NULL;
        frames++;
    }
    warned |= nb_snap_damage(r) != NULL;
    nb_bodies_free(&b);
    nb_snap_close(r);
    return right && (salvage ? warned && (status == 0 || frames == 0) : status == -1);
}

static bool is_verified(const char *path)
{
    struct nb_snap_reader *r = nb_snap_open(path, false);
    int status;
    while ((status = nb_snap_verify(r)) == 1)
        ;
    nb_snap_close(r);
    return status == 0;
}

/* Frame k alone is that of the run whose trailer closes the stream, or an error. */
static bool frame_is_guarded(const char *path, int k, int run)
{
    struct nb_snap_reader *r = nb_snap_open(path, false);
    struct nb_bodies b;
    nb_bodies_init(&b);
    int status = nb_snap_read_frame(r, k, false, &b);
    bool guarded = status == -1 || (is_right(&b) && b.meta.time == 100 * (run + 1) + k);
    nb_bodies_free(&b);
    nb_snap_close(r);
    return guarded;
}

static bool passes_nowhere(const struct bytes *b, int end)
{
    char path[64];
    bool noticed = true;
    for (int salvage = 0; salvage < 2; salvage++) {
        int fd = file_of(b->data, b->size, path);
        noticed &= is_noticed(path, salvage);
        if (!salvage) {
            noticed &= !is_verified(path);
            for (int k = 0; k < FRAMES; k++)
                noticed &= frame_is_guarded(path, k, end);
        }
        close(fd);
        fd = pipe_of(b->data, b->size, path);
        noticed &= is_noticed(path, salvage);
        close(fd);
    }
    return noticed;
}

static bool is_a_run(const struct bytes *b)
{
    for (int run = 0; run < RUNS; run++)
        if (b->size == runs[run].size && memcmp(b->data, runs[run].data, b->size) == 0)
            return true;
    return false;
}

static int wanted = 500, unnoticed;

static void test_no_exchange_passes(void **state)
{
    (void)state;
    char path[64];
    srand(1);
    for (int run = 0; run < RUNS; run++) {
        build_run(run);
        int fd = file_of(runs[run].data, runs[run].size, path);
        assert_true(is_verified(path) && !is_noticed(path, false) && !is_noticed(path, true));
        close(fd);
    }
    for (int done = 0; done < wanted;) {
        struct stream s = whole_run(rand() % RUNS);
        for (int times = rand() % 3; times >= 0; times--)
            exchange(&s);
        struct bytes b = bytes_of(&s);
        if (!is_a_run(&b)) {
            unnoticed += !passes_nowhere(&b, s.end);
            done++;
        }
        free(b.data);
    }
    for (int run = 0; run < RUNS; run++) {
        free(runs[run].data);
        runs[run] = (struct bytes){0};
    }
    assert_int_equal(unnoticed, 0);
}

/* Behind a frame that salvage passes over, and behind a stream that was cut, an exchange is noticed all the same. */
static void test_salvage_notices_more_than_damage(void **state)
{
    (void)state;
    for (int cut = 0; cut < 2; cut++)
        for (int swap = 0; swap < 2; swap++) {
            struct bytes b = {0};
            char path[64];
            build_run(0);
            struct stream s = whole_run(0);
            if (swap)
                swap_parts(s.frames[1], s.frames[2], (1 << PARTS) - 1);
            if (cut)
                add(&b, runs[0].data, runs[0].offsets[2] + 100);
            struct bytes whole = bytes_of(&s);
            if (!cut)
                whole.data[runs[0].offsets[4] + 300] ^= 1;
            add(&b, whole.data, whole.size);
            int fd = file_of(b.data, b.size, path);
            struct nb_snap_reader *r = nb_snap_open(path, true);
            struct nb_bodies frame;
            nb_bodies_init(&frame);
            while (nb_snap_read(r, &frame) == 1)
                ;
            const char *damage = nb_snap_damage(r);
            assert_non_null(strstr(damage, cut ? "skipped: " : "skipped: frame 4: "));
            assert_int_equal(strstr(damage, ", and 1 more damaged place") != NULL, swap);
            nb_bodies_free(&frame);
            nb_snap_close(r);
            close(fd);
            free(b.data);
            free(whole.data);
            free(runs[0].data);
            runs[0] = (struct bytes){0};
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_exchange_passes),
        cmocka_unit_test(test_salvage_notices_more_than_damage),
    };
    if (argc == 1)
        return cmocka_run_group_tests(tests, NULL, NULL);
    wanted = atoi(argv[1]);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf(
        "%d exchanges of parts, each read from a file and a pipe, whole, frame by frame and with salvage: unnoticed %d\n",
        wanted, unnoticed);
    return failed;
}
