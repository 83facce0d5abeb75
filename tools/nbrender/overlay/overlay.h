/* overlay.h - text, plots and lines that are drawn over a finished picture. */
#pragma once

#include "measure/measure.h"
#include "nbrender/colour/colour.h"
#include "nbrender/view/view.h"

/* ---- segment.c: the coverage of pixels by a straight line with round ends ---- */

struct segment {
    double begin[2], end[2]; /* x, y of the two ends, in pixels from the upper left corner of the picture */
    double opacity[2];       /* opacity at `begin` and at `end`, 0 to 1; linear in between */
    double width;            /* width in pixels, > 0; if it is below 1, the opacity is multiplied by the width */
};

/* Function that receives a covered pixel. `cover` is (covered fraction of the pixel) * opacity, > 0 and <= 1. */
typedef void segment_pixel(void *context, int x, int y, double cover);

/* Calls `pixel` once for each covered pixel in an area of width x height pixels, row by row. A segment with coordinates
 * that are not finite covers no pixels. */
void segment_cover(const struct segment *segment, int width, int height, segment_pixel *pixel, void *context);

/* ---- draw.c: antialiased lines and rectangles over a finished picture.
 *
 * Positions are pixels from the upper left corner; the centre of the first pixel is (0.5, 0.5). Colours are red, green
 * and blue, 0 to 65535. Opacities are from 0 to 1. Everything is clipped to the picture, and objects without finite
 * positions are not drawn. A line narrower than a pixel is dimmed in proportion to its width. ---- */

/* Blends a colour over pixel (x, y), which must be inside the picture. Opacity is from 0 to 1. */
static inline void draw_pixel(struct picture *p, int x, int y, const uint16_t colour[3], float opacity)
{
    size_t at = (size_t)y * (size_t)p->width + (size_t)x;
    for (int k = 0; k < 3; k++) {
        float level = p->plane[k][at];
        p->plane[k][at] = (uint16_t)(level + opacity * ((float)colour[k] - level) + 0.5f);
    }
}

/* Draws a filled rectangle from (x0, y0) to (x1, y1), with x0 < x1 and y0 < y1. Edges need not be integers. */
void draw_rectangle(struct picture *p, double x0, double y0, double x1, double y1, const uint16_t colour[3],
                    double opacity);
struct draw_area {
    int x, y, width, height; /* a rectangle of a picture, pixels */
};

/* Draws lines through n points. opacity[i] is the opacity at point i, linear between points; NULL: 1 everywhere. Where
 * lines overlap, for example at a bend, the larger of their opacities is used. A point with a coordinate NAN leaves a
 * gap in the path. Dies if there is no memory. */
void draw_polyline(struct picture *p, const double (*at)[2], const float *opacity, size_t n, double width,
                   const uint16_t colour[3]);
/* Draws lines as draw_polyline does, but in a rectangle of the picture. Points are relative to the upper left corner of
 * the rectangle. If `behind` is true, the lines look as if they were behind the bodies, because they only add light:
 * each channel becomes 1 - (1 - picture) * (1 - opacity * colour), where all values are from 0 to 1. */
void draw_polyline_in(struct picture *p, struct draw_area area, bool behind, const double (*at)[2],
                      const float *opacity, size_t n, double width, const uint16_t colour[3]);

/* ---- text.c: text over a finished picture, with FreeType and fontconfig's font for "sans-serif".
 *
 * Letters are antialiased. Pale letters have a thin dark rim, dark letters a thin pale rim, so that they are
 * readable on any background. Text is UTF-8. Control characters are ignored, and an invalid byte is drawn as a
 * replacement character. Characters that the font lacks come from another font. All digits have the same width, so
 * numbers do not jitter. Ligatures and right-to-left scripts are not supported. Not thread-safe. ---- */

#define TEXT_SHARE 45 /* (shorter side of the picture) / (default size of text) */

struct text { /* a font and its dimensions in pixels */
    /* height: height of digits above the base line; depth: distance that letters such as g extend below the base line;
     * line: distance between base lines */
    double height, depth, line;
    double digit; /* width of the widest digit, including its spacing */
    struct font *font;
    struct FT_StrokerRec_ *stroker;
};

/* which point of a text is at the given x: its left end, its middle or its right end */
enum text_align { TEXT_LEFT, TEXT_CENTRE, TEXT_RIGHT };

/* Opens a font of size_px pixels (the em); values below 4 and above 1000 are replaced by 4 and 1000. Returns NULL after
 * nb_fail if there is no font, if nbrender was built without FreeType and fontconfig, or after a signal to end the
 * program. Errors in fontconfig's configuration are printed once as a warning. */
struct text *text_open(double size_px);
void text_close(struct text *t); /* t may be NULL */
/* Opens a font as text_open does. On failure it exits with a message that begins with `before`. */
struct text *text_claim(double size_px, const char *before);

/* Returns the width of the text in pixels. Characters after the first TEXT_LONGEST are ignored. */
double text_width(struct text *t, const char *utf8);
#define TEXT_LONGEST 1000

/* Draws text with its base line at y. x and y are pixels from the upper left corner. `colour` is red, green and blue,
 * 0 to 65535. `opacity` is 0 to 1. Text is clipped to the picture. */
void text_draw(struct text *t, struct picture *p, double x, double y, enum text_align align, const uint16_t colour[3],
               double opacity, const char *utf8);

/* ---- rounding.c: round numbers (1, 2 or 5 times a power of ten), and numbers as text ---- */

/* rounding_down returns the largest round number <= x. rounding_up returns the smallest round number >= x. Round
 * numbers are 1, 2 or 5 times a power of ten. x is positive and finite. */
double rounding_down(double x);
double rounding_up(double x);
/* Returns how many decimals (0 to 15) must be written so that successive multiples of `step` differ as text. */
int rounding_decimals(double step);

#define ROUNDING_TEXT 40 /* maximum number of bytes of a number as text, including its NUL */
/* Writes a number with `decimals` decimals. If |x| is 1e9 or more, writes the number in exponential form with three
 * decimals. The minus sign is U+2212. 0 has no sign. */
void rounding_print(char text[ROUNDING_TEXT], double x, int decimals);
/* Writes a number with at most three significant digits and without trailing zeros: 0.02, 500, 1e-07. If |x| is from
 * 1e3 to 1e6, writes all digits of the nearest integer. */
void rounding_print_short(char text[ROUNDING_TEXT], double x);

/* Writes a number with its sign, two significant digits and an exponent: +3.2e-06. */
void rounding_print_error(char text[ROUNDING_TEXT], double x);

/* ---- shown_unit.c: the unit in which a quantity of the stream is shown ---- */

struct shown_unit {
    double factor; /* value in this unit = factor * value in the stream's unit */
    /* name of the unit, such as "kpc"; "" if the stream has no physical units. May point to the string passed to
     * shown_unit_of */
    const char *name;
};

/* Returns the first of these units that fits: Mpc (for lengths of at least 1 Mpc), kpc (at least 0.1 kpc), pc (at least
 * 0.1 pc), AU (at least 0.1 AU), km. `length` is in the stream's unit. */
struct shown_unit shown_unit_of_length(const struct nb_units *units, double length);
/* Returns Gyr, Myr, kyr, yr, d, h or s: the largest unit in which `apart` is at least 0.02. `apart` is the time from
 * one picture to the next, in the stream's unit. */
struct shown_unit shown_unit_of_time(const struct nb_units *units, double apart);

/* Returns the unit for a quantity of magnitude `value`. `unit` is a product of powers of M (mass), L (length) and T
 * (time), such as "M/L^2". Lengths are shown in the unit of shown_unit_of_length, times in the unit of
 * shown_unit_of_time, velocities in km/s, squares of velocities in km^2/s^2, accelerations in km/s/Myr, masses in Msun,
 * and densities in Msun/pc^2 or Msun/pc^3. For other products, the name is `unit` and the factor is 1. For "-"
 * (dimensionless), the name is "". */
struct shown_unit shown_unit_of(const struct nb_units *units, const char *unit, double value);

/* ---- canvas.c: a picture and the rectangles on it that overlays occupy ---- */

#define CANVAS_TAKEN_MAX 16

struct canvas_box {
    double x0, y0, x1, y1; /* pixels, y down */
};

struct canvas {
    struct picture *picture;
    struct text *text, *small, *large; /* fonts of 1, 0.8 and 1.3 times the default size, in this order */
    /* em: default size of text; margin: distance of overlays from the edges of the picture; both in pixels */
    double em, margin;
    struct canvas_box taken[CANVAS_TAKEN_MAX];
    int count;
};

extern const uint16_t canvas_ink[3];  /* pale colour of text, bars and curves */
extern const uint16_t canvas_dark[3]; /* dark colour of text, bars and curves, for bright backgrounds */
/* Returns canvas_ink or canvas_dark, whichever is easier to see on the part of the picture inside the box. */
const uint16_t *canvas_ink_on(const struct picture *p, struct canvas_box box);
/* Returns the colour for an overlay in a pane: red or cyan if the pane is for one eye of a stereo pair, otherwise
 * `ink`. */
const uint16_t *canvas_ink_of(const struct layout_pane *place, const uint16_t ink[3]);
#define CANVAS_OPACITY 0.8  /* opacity of text, bars and curves */
#define CANVAS_FAINT   0.35 /* opacity of frames and axes */

/* Returns whether two boxes overlap or are closer than `gap` pixels. */
bool canvas_overlap(const struct canvas_box *a, const struct canvas_box *b, double gap);
/* Marks a box as occupied. Returns false and does nothing if the box leaves the picture, if it is closer to an occupied
 * box than half the text size, or if CANVAS_TAKEN_MAX boxes are occupied. */
bool canvas_take(struct canvas *c, struct canvas_box box);
/* Returns the y coordinate of the base line of the topmost line of text, which contains the time and the title. */
double canvas_first_line(const struct canvas *c);
/* Writes text at (x, y): x is the left end, the centre or the right end of the text (`align`), y its base line. The
 * colour is pale or dark, whichever is easier to see (canvas_ink_on). */
void canvas_write(struct canvas *c, struct text *size, double x, double y, enum text_align align, const char *utf8);

/* ---- tree.c: the cells of the tree that a force builds from the bodies (force/cells.h) ---- */

#define TREE_DEPTH_MAX 64

struct tree_options {
    int depth; /* deepest level of drawn cells; the root has level 0; -1: no cells are drawn */
    bool of_given;
    uint64_t of; /* if `of_given`: id of a body; the cells that act on this body as point masses are drawn */
};

struct tree;

/* Returns whether cells are to be drawn. Dies (usage error) if the force has no cells. */
bool tree_is_drawn(const struct render_options *o);
/* Prepares the drawing of cells. Returns NULL if no cells are to be drawn. */
struct tree *tree_create(const struct render_options *o);
void tree_destroy(struct tree *t); /* t may be NULL */
/* Builds the tree of the bodies of a frame and stores the cells to draw. Dies if the body of --draw-tree-of has not
 * been in any frame so far. */
void tree_catch(struct tree *t, const struct nb_bodies *b);
/* Draws the stored cells over a picture: thin lines that get fainter with each level. Where lines overlap, the larger
 * opacity is used. Cells smaller than two pixels are not drawn. */
void tree_draw(const struct tree *t, const struct panes *panes, struct picture *p);

/* ---- overlay.c: the overlays. They are time, scale bar, colour bar, title, energy error, box, arrows, and three kinds
 * of text lines: number of bodies, step number, momentum errors.
 *
 * The text size is 1/45 of the smaller side of the picture, at least 11 pixels. Margins are 1/40 of that side.
 * overlay_draw draws the overlays one after the other. An overlay that would leave the picture or overlap an earlier
 * one is not drawn. ---- */

enum {
    OVERLAY_BOX = 1,        /* the edges of a cube (struct overlay_box), in every pane */
    OVERLAY_TIME = 2,       /* drawn at the top left */
    OVERLAY_SCALE = 4,      /* drawn at the bottom left of every pane */
    OVERLAY_COLORBAR = 8,   /* drawn at the right */
    OVERLAY_ENERGY = 16,    /* drawn at the bottom right */
    OVERLAY_TITLE = 32,     /* drawn at the top middle */
    OVERLAY_BODIES = 64,    /* number of bodies; OVERLAY_BODIES to OVERLAY_ANGULAR are lines of text below the time */
    OVERLAY_STEP = 128,     /* step number in the frame's header */
    OVERLAY_MOMENTUM = 256, /* relative error of momentum */
    OVERLAY_ANGULAR = 512,  /* relative error of angular momentum */
    OVERLAY_ARROWS = 1024,  /* arrows in every pane, and a reference arrow at the bottom middle */
};

#define ARROWS_MAX 200

/* ---- titles.c: the titles of --title ---- */

#define TITLE_FADE_S 0.5 /* seconds of film in which a title fades in or out */

struct title {
    double from, to; /* simulated times at which the title begins and ends; -INFINITY and INFINITY: no limit */
    const char *text;
};

struct titles {
    struct title *one;
    int count;
};

/* Parses TEXT or T0:T1:TEXT and adds the title to the titles `o->to`. T0, T1 or both may be empty. If a title with the
 * same T0 and T1 exists, replaces this title. Dies if T0 >= T1 (usage error) or if there is no memory. */
void titles_take(const struct tool_option *o, const char *text);
/* Returns whether there is a title with text. */
bool titles_have_text(const struct titles *t);
/* Returns the opacity, 0 to 1, of a title at the given time. Fading in takes the time `fade` >= 0, but at most a third
 * of the title's duration. Fading out takes the same time. */
double title_opacity(const struct title *t, double time, double fade);

struct overlay_options {
    unsigned shown;
    bool given; /* --overlay was given */
    struct titles titles;
    bool axes;
    int arrows; /* number of columns of the grid of arrows; 0: no arrows */
    struct tree_options tree;
};

extern const struct tool_option overlay_table[], wall_table[];
/* Sets defaults after all options were read: a map shows its colour bar unless --overlay was given. Dies (usage error)
 * if options contradict each other. */
void overlay_options_finish(struct overlay_options *o, bool is_map);

#define TEXT_LEAST 11 /* minimum size of text, pixels */

/* Returns the size of text in a picture, pixels. */
static inline double overlay_em(int width, int height)
{
    return fmax(fmin(width, height) / TEXT_SHARE, TEXT_LEAST);
}

struct overlay_box {
    double middle[3], side; /* middle: centre of the cube; side: length of its edges; length units */
};

struct number;

/* Data that the overlays of one picture show. */
struct overlay_moment {
    double time, apart; /* time: time of the picture; apart: time from one picture to the next; time units */
    double fade;        /* duration of fading in and out of titles, time units */
    struct nb_units units;
    struct overlay_box box;
    size_t energies;              /* number of energy errors to plot: those up to the time of this picture */
    const struct number *numbers; /* number of bodies, step number, momentum errors; NULL: none of them is shown */
    const struct legend *legend;  /* meaning of the colours; legend->colour is NULL if there is no colour bar */
    unsigned components;          /* bit i % RAMP_PALETTE is 1 if a body of this or an earlier frame has component i */
};

struct overlay;
struct render_options;

/* Prepares overlays. Returns NULL if there are no overlays to show. If there is no font, dies if the user asked for
 * text; otherwise warns and returns NULL. */
struct overlay *overlay_create(const struct render_options *o);
void overlay_destroy(struct overlay *v); /* v may be NULL */

/* Stores energy error, number of bodies, step number, momentum errors and components of a frame for the overlays. `b`
 * has all bodies of the frame. If the frame has the same time as the previous frame, stores only the components. Dies
 * if the energy error is shown but the potentials of the bodies are not known. */
void overlay_note(struct overlay *v, const struct nb_bodies *b);
/* Stores the data of the next picture for overlay_draw. `b` are the bodies in this picture. The first call also chooses
 * the cube of OVERLAY_BOX, which is the same in all pictures (part_box_set). */
void overlay_catch(struct overlay *v, const struct nb_meta *meta, const struct panes *panes, const struct nb_bodies *b);
/* Draws the overlays over a picture. Uses the data that overlay_catch has stored. */
void overlay_draw(struct overlay *v, const struct panes *panes, const struct legend *legend, struct picture *p);

/* ---- canvas.c, part_*.c: the overlays; each is omitted if it does not fit ---- */

/* Writes "t = 3.20" at the top left, with a unit if the stream has physical units. The number has enough digits to
 * distinguish successive pictures. */
void part_time(struct canvas *c, const struct overlay_moment *m);
struct number { /* data of a frame for the lines of text that part_numbers writes */
    double time;
    uint64_t n, step;
    double momentum_error, angular_momentum_error;
};

struct numbers { /* initialise with zeros */
    struct nb_momenta first;
    struct number *of; /* data of each frame, in the order in which frames were read */
    size_t count;
};

/* Stores the data of a frame. Computes momentum errors only if `with_errors`. Ignores a frame with the same time as the
 * previous frame. Dies if there is no memory. */
void numbers_note(struct numbers *n, const struct nb_bodies *b, bool with_errors);
/* Returns the data of the frame whose time is closest to `time`. n->count must be > 0. */
const struct number *numbers_at(const struct numbers *n, double time);
/* Writes a line of text for each of the flags OVERLAY_BODIES to OVERLAY_ANGULAR that is set in `shown`, such as
 * "n = 20000" or "step 128". If OVERLAY_TIME is set, the lines are below the time. */
void part_numbers(struct canvas *c, const struct number *now, unsigned shown);
/* Writes the title at the top middle, truncated if it is too long. opacity must be > 0. */
void part_title(struct canvas *c, const char *title, double opacity);
/* Draws a scale bar at the bottom left, and writes its length above it. The length is a round number, between a tenth
 * and a quarter of the pane's width. */
void part_scale(struct canvas *c, const struct overlay_moment *m, const struct pane *pane);
/* Sets the box: the largest cube around the view's centre that has all its corners inside the pane. Its side is 1, 1.5,
 * 2, 3, 4, 5, 6 or 8 times a power of ten. Sets the side to 0 if no box fits. */
void part_box_set(struct overlay_box *box, const struct pane *pane);
/* Draws the edges of the box and the names of its axes. */
void part_box(struct canvas *c, const struct overlay_box *box, const struct pane *pane);

/* Draws the colour bar at the right: a strip with the colour scale and, above, the name of the quantity. The strip has
 * 3/8 of the picture's height, and ticks at round values. If the colours show ranks, the ticks are at five quantiles.
 * If the colours show components, draws the names of the components in their colours, and no strip. */
void part_colorbar(struct canvas *c, const struct overlay_moment *m);

struct arrows { /* set `columns`, initialise the other members with zeros */
    int columns;
    /* sum[k][c]: three sums over the bodies in cell c of the arrow grid of pane k: mass, momentum to the right in the
     * picture, momentum upwards */
    double (*sum[LAYOUT_PANES_MAX])[3];
    uint64_t room[LAYOUT_PANES_MAX];
    /* reference: speed of the reference arrow, a round number; stretch: (length of an arrow in pixels) / speed. Both
     * are 0 until a frame has moving bodies */
    double reference, stretch;
};

/* Computes a->sum: mass and momentum of the bodies in each cell of the arrow grid of each pane. If `reference` and
 * `stretch` are still 0, computes them from the sums of the main pane. Dies if there is no memory. */
void arrows_catch(struct arrows *a, const struct panes *panes, const struct nb_bodies *b);
void arrows_free(struct arrows *a); /* frees the sums */
/* part_arrows draws the arrows of pane `number`. Each arrow is at the centre of its cell; arrows that would overlap
 * other overlays are omitted. part_arrow_reference draws an arrow for the speed a->reference, and writes this speed. */
void part_arrows(struct canvas *c, const struct arrows *a, const struct panes *panes, int number);
void part_arrow_reference(struct canvas *c, const struct arrows *a, const struct nb_units *units);

struct energies {
    /* time of each frame, and the relative energy error at this time (the change since the first frame) */
    double *time, *error;
    size_t count;
    struct nb_energies first;
};

/* Plots the first `count` energy errors against time, at the bottom right. The vertical axis goes from -r to r, where r
 * is a round number. The error is the change of energy divided by |E0|, E0 the energy of the first frame. If |E0| is
 * too small, the change is divided by another energy, which the label of the plot names. */
void part_energy(struct canvas *c, const struct energies *e, size_t count);

/* ---- axes.c: a white margin with ticks, numbers and names of the coordinates ---- */

struct axes;

/* Reduces the width and height in `o` by the margins for axes, because the bodies are drawn inside the margins. Returns
 * NULL if no axes are wanted. Dies if there is no font or if the picture is too small (usage error). */
struct axes *axes_create(struct render_options *o);
void axes_destroy(struct axes *a); /* a may be NULL */
/* Stores directions, ranges and unit of the axes of the next picture. */
void axes_catch(struct axes *a, const struct nb_units *units, const struct panes *panes);
/* Copies the picture `inner`, which is smaller by the margins, into p and draws the axes around it. */
void axes_draw(const struct axes *a, const struct picture *inner, struct picture *p);

/* ---- walls.c: the walls of a frame's header (scene.h), which are in the plane z = 0 ---- */

enum wall_style {
    WALLS_FILL, /* draws walls as lines, and fills closed walls on the side without disks */
    WALLS_LINES,
    WALLS_NONE,
};

struct wall_options {
    enum wall_style style;
};

struct walls;

/* Prepares the drawing of walls. Returns NULL if no walls are to be drawn. Dies if there is no memory. */
struct walls *walls_create(const struct wall_options *o);
void walls_destroy(struct walls *w); /* w may be NULL */

/* Replaces the stored walls by the walls of a frame's header. Dies if the header's lines about walls are invalid. */
void walls_catch(struct walls *w, const struct nb_meta *meta);
/* Draws the stored walls over a picture. A wall with a corner behind the camera is drawn as lines only. Dies if there
 * is no memory. */
void walls_draw(const struct walls *w, const struct panes *panes, struct picture *p);
