/* tool_version.c - prints --version and --notices. packaging/facts.sh writes facts.h, which contains the commit, other
 * facts that the compiler does not know, and the text of NOTICES. Each commit changes facts.h. Only this file includes
 * facts.h, so that no other file must be compiled again. */
#include "common/tool_syntax.h"
#include "device/ranks.h"

#include <facts.h>
#include <stdio.h>
#include <string.h>

#define TOOL_STRING(x)       #x
#define TOOL_VALUE_STRING(x) TOOL_STRING(x)

#if defined(__clang__)
#define COMPILER "clang " TOOL_VALUE_STRING(__clang_major__.__clang_minor__.__clang_patchlevel__)
#elif defined(__GNUC__)
#define COMPILER "gcc " TOOL_VALUE_STRING(__GNUC__.__GNUC_MINOR__.__GNUC_PATCHLEVEL__)
#else
#define COMPILER "unknown"
#endif

#ifdef NB_HAVE_GSL
#define HAVE_GSL true
#else
#define HAVE_GSL false
#endif

/* Libraries that are compiled into the tools. `licence` is the SPDX name of the licence, if there is one. */
static const struct part {
    const char *where; /* tools that contain the library: NULL (all), "CUDA" (tools with CUDA) or the name of a tool */
    bool present;
    const char *name, *licence;
} parts[] = {
    {NULL, true, "xxHash", "BSD-2-Clause"},
    {NULL, true, "Random123", "BSD-3-Clause"},
    {NULL, FACT_LIBGOMP, "libgomp", "GPL-3.0-or-later WITH GCC-exception-3.1"},
    {"CUDA", true, "CUB", "BSD-3-Clause"},
    {"CUDA", true, "libcu++", "Apache-2.0 WITH LLVM-exception"},
    {"CUDA", true, "CUDA runtime", "NVIDIA's"},
    {"nbgen", HAVE_GSL, "GSL", "GPL-3.0-or-later"},
#ifdef NB_HAVE_HDF5
    {"nbconv", true, "HDF5", "BSD-3-Clause"},
#endif
    {"nbrender", true, "zlib", "Zlib"},
#ifdef NB_HAVE_JPEG
    {"nbrender", true, "libjpeg", "IJG AND BSD-3-Clause"},
#endif
#ifdef NB_HAVE_WEBP
    {"nbrender", true, "libwebp", "BSD-3-Clause"},
#endif
#ifdef NB_HAVE_TEXT
    {"nbrender", true, "FreeType", "FTL"},
    {"nbrender", true, "fontconfig", "HPND"},
#endif
};

static bool has_cuda(const char *tool)
{
    const char *found = strstr(FACT_HOST_TOOLS, tool);
    return FACT_CUDA[0] && !(found && found[-1] == ' ' && found[strlen(tool)] == ' ');
}

static bool is_in(const struct part *part, const char *tool)
{
    const char *where = part->where;
    const bool is = !where || strcmp(where, tool) == 0 || (strcmp(where, "CUDA") == 0 && has_cuda(tool));
    return part->present && is;
}

void tool_print_version(const char *name)
{
    char tool[32];
    snprintf(tool, sizeof tool, "%.*s", (int)strcspn(name, " "), name); /* name may be "nbgen plummer" */
    const bool is_gpl = HAVE_GSL && strcmp(tool, "nbgen") == 0;
    printf("%s (nbtools) " TOOL_VERSION "\n", tool);
    printf("commit    " FACT_COMMIT "\n");
    printf("compiler  " COMPILER "\n");
    printf("CUDA      %s\n", has_cuda(tool) ? FACT_CUDA : "none");
    if (strcmp(tool, "nbsim") == 0)
        printf("MPI       %s\n", nb_transport_compiled ? "yes" : "none");
    printf("licence   %s\n", is_gpl ? "GPL-3.0-or-later as a whole, for GSL's sake; its own code MIT" : "MIT");
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (is_in(&parts[k], tool))
            printf("with      %s (%s)\n", parts[k].name, parts[k].licence);
    printf("`%s --notices' prints the terms of what is compiled in.\n", tool);
}

const char *tool_commit(void)
{
    return FACT_COMMIT;
}

const char *tool_compiler(void)
{
    return COMPILER;
}

const char *tool_cuda(void)
{
    return FACT_CUDA[0] ? FACT_CUDA : "none";
}

void tool_print_notices(void)
{
    fputs(fact_notices, stdout);
}
