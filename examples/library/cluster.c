/* A star cluster: a frame at each time unit, and the energy error.
 *   cc -o cluster cluster.c $(pkg-config --cflags --libs nbtools)
 *   nbgen plummer -n 500 -o start.nbs && ./cluster start.nbs run.nbs */
#include <nbtools.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int failed)
{
    if (failed)
        fprintf(stderr, "cluster: %s\n", nbt_error());
    if (failed)
        exit(1);
}

int main(int argc, char **argv)
{
    double first[3], now[3];
    struct nbt_frame *start = nbt_frame_new(0);
    check(argc != 3 || !start);
    struct nbt_stream *in = nbt_stream_open(argv[1], NBT_FIRST), *out = nbt_stream_create(argv[2]);
    check(!in || !out || nbt_stream_read(in, start) < 1);
    struct nbt_system *s = nbt_system_of(start);
    check(!s || nbt_option_set(s, "integrator", "leapfrog-block") || nbt_energies(s, first));
    for (int t = 0; t <= 3; t++) {
        check(nbt_advance(s, t) || nbt_stream_write(out, nbt_system_frame(s)) || nbt_energies(s, now));
        printf("%d %.2e\n", t, (now[0] + now[1]) / (first[0] + first[1]) - 1);
    }
    check(nbt_stream_close(out));
    nbt_stream_close(in);
    nbt_system_close(s);
    nbt_frame_free(start);
    return 0;
}
