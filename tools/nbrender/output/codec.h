/* codec.h - the codecs of films, and ffmpeg's encoders for them. */
#ifndef NBRENDER_CODEC_H
#define NBRENDER_CODEC_H

#include "nbrender/nbrender.h"

#define CODEC_ARGUMENTS_MAX 32

struct codec;

/* The codec that --codec names, or else the first of `allowed`, words with blanks between; dies (usage) where that does
 * not allow it, or where the codec has no such --crf. */
const struct codec *codec_find(const char *allowed, const char *path, const struct output_options *o);
/* An encoder for it that ffmpeg has and that takes such chroma; dies where there is none, or no ffmpeg. A number for
 * codec_arguments. */
int codec_encoder(const struct codec *c, int chroma, const char *path);
/* Appends ffmpeg's arguments for that encoder at `arguments`, as many as CODEC_ARGUMENTS_MAX; returns their number.
 * What they point to stays until the next call. */
int codec_arguments(const struct codec *c, int encoder, int chroma, const struct output_options *o,
                    const char **arguments);

#endif
