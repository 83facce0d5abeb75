/* Runs a fuzz target on the files of its corpus, one TAP test for each file, without libFuzzer: replay FILE... */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        return -1;
    long size = ftell(file);
    rewind(file);
    uint8_t *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
    int status = data && fread(data, 1, (size_t)size, file) == (size_t)size ? 0 : -1;
    fclose(file);
    if (status == 0)
        LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    return status;
}

int main(int argc, char **argv)
{
    int failed = argc < 2;
    printf("1..%d\n", argc - 1);
    for (int k = 1; k < argc; k++) {
        int status = replay(argv[k]); /* a target that finds something ends the program */
        const char *name = strrchr(argv[k], '/');
        printf("%sok %d - %s\n", status ? "not " : "", k, name ? name + 1 : argv[k]);
        fflush(stdout);
        failed |= status;
    }
    return failed != 0;
}
