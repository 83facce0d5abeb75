/* main.c - nbstat reports conserved quantities and sizes of every frame, and lists and verifies streams. */
#include "nbstat.h"

int main(int argc, char **argv)
{
    static struct stat_options options; /* static, because other functions keep pointers into it */
    stat_options_parse(&options, argc, argv);
    return options.check    ? stat_check(&options)
           : options.info   ? stat_info(&options)
           : options.walls  ? stat_walls(&options)
           : options.events ? stat_events(&options)
                            : stat_measure(&options);
}
