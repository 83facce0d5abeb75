/* nbsim - advances the bodies of a snapshot under their own gravity. */
#include "nbsim.h"

int main(int argc, char **argv)
{
    struct sim_options options;
    sim_options_parse(&options, argc, argv);
    return sim_run(&options);
}
