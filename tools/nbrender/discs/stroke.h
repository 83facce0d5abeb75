/* stroke.h - lines and discs of light on a picture, antialiased (segment.h). All are clipped to it; places in pixels
 * (light/view.h), NAN draws nothing.
 */
#ifndef NBRENDER_STROKE_H
#define NBRENDER_STROKE_H

#include "nbrender/output/picture.h"

/* A line with round ends, `radius` pixels to both sides. What is there already and is brighter stays, channel by
 * channel, so that lines that join or cross show no seams. Colour from 0 to 1. */
void stroke_line(struct picture *p, const double from[2], const double to[2], double radius, const float colour[3]);

/* A disc over what is there, a little darker towards its limb. */
void stroke_disc(struct picture *p, double x, double y, double radius, const float colour[3]);

#endif
