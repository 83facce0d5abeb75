/* nbsim - advances the bodies of a snapshot under their own gravity. */
#include "nbsim.h"

int main(int argc, char **argv)
{
    static struct sim_options options; /* what it points to is kept until the end */
    sim_ranks_begin();
    sim_options_parse(&options, argc, argv);
    return sim_run(&options);
}
