/* main.c - nbsim advances the bodies of a snapshot under self-gravity and other forces. */
#include "nbsim.h"

int main(int argc, char **argv)
{
    /* static, because other functions keep pointers to the options until the tool ends */
    static struct sim_options options;
    sim_ranks_begin();
    sim_options_parse(&options, argc, argv);
    return sim_run(&options);
}
