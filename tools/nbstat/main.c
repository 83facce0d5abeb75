/* nbstat - says of every frame what it conserves and how large it is; lists and verifies streams. */
#include "nbstat.h"

int main(int argc, char **argv)
{
    struct stat_options options;
    stat_options_parse(&options, argc, argv);
    if (options.check)
        return stat_check(&options);
    if (options.info)
        return stat_info(&options);
    return stat_measure(&options);
}
