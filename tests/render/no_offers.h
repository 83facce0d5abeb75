/* no_offers.h - for tests with parts of a tool: dummies of the functions that offer words for shell completion. */
#pragma once

#include "common/tool_syntax.h"

void tool_offer_behind(size_t length)
{
    (void)length;
}

const char *tool_offer_typed(void)
{
    return "";
}

void tool_offer(const char *word, const char *about)
{
    (void)word, (void)about;
}

void tool_offer_part(const char *word, const char *after, const char *about)
{
    (void)word, (void)after, (void)about;
}

void tool_offer_file(void)
{
}
