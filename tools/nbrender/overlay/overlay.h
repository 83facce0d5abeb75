/* overlay.h - what is drawn and written over a finished picture. */
#pragma once

#include "measure/measure.h"
#include "nbrender/colour/colour.h"
#include "nbrender/view/view.h"

/* ---- segment.c: how much of each pixel a straight line with round ends covers ---- */

struct segment {
    double begin[2], end[2]; /* x, y in pixels from the upper left corner: the middle of the first one is (0.5, 0.5) */
    double opacity[2];       /* there, 0 to 1; linear between */
    double width;            /* pixels, > 0; below one a line is as bright as its width says */
};

/* A pixel that is covered, with the part of it that is, times the opacity: above 0, 1 at most. */
typedef void segment_pixel(void *context, int x, int y, double cover);

/* Goes over those in an area of width x height pixels, row by row, each once. A segment whose places are no finite
 * numbers covers none. */
void segment_cover(const struct segment *segment, int width, int height, segment_pixel *pixel, void *context);

/* ---- draw.c: lines and rectangles over a finished picture, antialiased.
 *
 * Places are in pixels from the upper left corner: the middle of the first pixel is (0.5, 0.5). Colours are levels of
 * the display, opacity goes from 0 to 1. What lies outside the picture is cut off, and what has no finite place is not
 * drawn. A line is as bright as its width says, also below one pixel. */

/* Lays a colour over the pixel (x, y), which is in the picture; opacity from 0 to 1. */
static inline void draw_pixel(struct picture *p, int x, int y, const uint16_t colour[3], float opacity)
{
    size_t at = (size_t)y * (size_t)p->width + (size_t)x;
    for (int k = 0; k < 3; k++) {
        float level = p->plane[k][at];
        p->plane[k][at] = (uint16_t)(level + opacity * ((float)colour[k] - level) + 0.5f);
    }
}

/* A filled rectangle from (x0, y0) to (x1, y1), x0 < x1, y0 < y1; its borders need not be whole. */
void draw_rectangle(struct picture *p, double x0, double y0, double x1, double y1, const uint16_t colour[3],
                    double opacity);
struct draw_area {
    int x, y, width, height; /* a part of a picture, pixels */
};

/* Lines through n places. The opacity goes linearly from one place's to the next's (NULL: 1 everywhere); where the path
 * meets itself the larger one counts, so that bends are no darker or brighter. A place with a NAN interrupts the path.
 * Dies without memory. */
void draw_polyline(struct picture *p, const double (*at)[2], const float *opacity, size_t n, double width,
                   const uint16_t colour[3]);
/* The same in a part of the picture, with places from its corner. `behind`: as if the picture's own light were in front
 * (1 - (1 - picture) (1 - line)), so that it hides no light. */
void draw_polyline_in(struct picture *p, struct draw_area area, bool behind, const double (*at)[2],
                      const float *opacity, size_t n, double width, const uint16_t colour[3]);

/* ---- text.c: text over a finished picture, by FreeType, in a font that fontconfig finds for "sans-serif".
 *
 * Letters are antialiased and have a thin dark rim, dark ones a pale rim, so that they can be read on any ground. Text
 * is UTF-8; control characters are left out, and each byte that is no UTF-8 is shown as a replacement character. Signs
 * that the font lacks come from another font that has them. All digits are equally wide, so that numbers do not jitter
 * from picture to picture. There are no ligatures, and no scripts that run from right to left. One thread at a time. */

#define TEXT_SHARE 45 /* picture heights over the usual size of text */

struct text { /* a font, and its measures in pixels */
    double height, depth,
        line;     /* how high digits stand above the base line, how far letters reach below it, line to line */
    double digit; /* advance of the widest digit */
    struct font *font;
    struct FT_StrokerRec_ *stroker;
};

enum text_align { TEXT_LEFT, TEXT_CENTRE, TEXT_RIGHT }; /* x is the text's left end, middle or right end */

/* A font, `size_px` pixels from line to line before leading (the em; 4 to 1000, what is beyond is cut to that). NULL
 * after nb_fail: there is no font, a signal came while it was looked for, or nbrender was built without FreeType and
 * fontconfig. Warns once of what fontconfig says of its configuration. */
struct text *text_open(double size_px);
void text_close(struct text *t); /* NULL is allowed */
/* The same; ends the tool where there is none, with what stands before the message. */
struct text *text_claim(double size_px, const char *before);

/* How far the text goes to the right, pixels. Of text longer than TEXT_LONGEST signs the rest is left out. */
double text_width(struct text *t, const char *utf8);
#define TEXT_LONGEST 1000

/* Draws text with its base line at y; places as in draw.c, colour in levels of the display, opacity 0 to 1. What lies
 * outside the picture is cut off. */
void text_draw(struct text *t, struct picture *p, double x, double y, enum text_align align, const uint16_t colour[3],
               double opacity, const char *utf8);

/* ---- rounding.c: round numbers, 1, 2 or 5 times a power of ten, and numbers as text ---- */

/* The largest round number that is not above x, and the least that is not below it; x > 0 and finite. */
double rounding_down(double x);
double rounding_up(double x);
/* Digits behind the point that tell multiples of `step` from each other, 0 to 15. */
int rounding_decimals(double step);

#define ROUNDING_TEXT 40 /* bytes that a number takes at most, with its NUL */
/* A number with so many digits behind the point; with a power of ten where it is very large. A minus is U+2212, and 0
 * has none. */
void rounding_print(char text[ROUNDING_TEXT], double x, int decimals);
/* A number in three digits at most, without zeros at its end: 0.02, 500, 1e-07. */
void rounding_print_short(char text[ROUNDING_TEXT], double x);

/* With its sign, in two digits and a power of ten: +3.2e-06. */
void rounding_print_error(char text[ROUNDING_TEXT], double x);

/* ---- shown_unit.c: in which unit people are told a length or a time of the stream ---- */

struct shown_unit {
    double factor;    /* from the stream's unit to this one */
    const char *name; /* "kpc", lives as long as what was given; "" where the stream's units have no physical size */
};

/* Mpc, kpc, pc, AU or km: in which a length is a handy number, in the stream's units. */
struct shown_unit shown_unit_of_length(const struct nb_units *units, double length);
/* Gyr, Myr, kyr, yr, d, h or s: in which times so far apart differ by 0.02 or more. */
struct shown_unit shown_unit_of_time(const struct nb_units *units, double apart);

/* Of a quantity whose unit is a product of powers as columns have it ("M/L^2"), about `value` large: km/s for L/T,
 * km^2/s^2, km/s/Myr, Msun, Msun/pc^2, Msun/pc^3, lengths and times as above; other products as they are. "" also for
 * "-". */
struct shown_unit shown_unit_of(const struct nb_units *units, const char *unit, double value);

/* ---- canvas.c: a picture with the places that overlays have taken on it ---- */

#define CANVAS_TAKEN_MAX 16

struct canvas_box {
    double x0, y0, x1, y1; /* pixels, y down */
};

struct canvas {
    struct picture *picture;
    struct text *text, *small, *large; /* 1, 0.8 and 1.3 times the usual size */
    double em, margin;                 /* pixels */
    struct canvas_box taken[CANVAS_TAKEN_MAX];
    int count;
};

extern const uint16_t canvas_ink[3];  /* of text, bars and curves, */
extern const uint16_t canvas_dark[3]; /* and where the picture is bright */
/* The one of these that is seen on what is in a place of the picture. */
const uint16_t *canvas_ink_on(const struct picture *p, struct canvas_box box);
/* That ink, or of a pair the colour of the eye that sees the pane. */
const uint16_t *canvas_ink_of(const struct layout_pane *place, const uint16_t ink[3]);
#define CANVAS_OPACITY 0.8  /* of theirs */
#define CANVAS_FAINT   0.35 /* of frames and axes */

/* Whether two places overlap, or are not `gap` apart. */
bool canvas_overlap(const struct canvas_box *a, const struct canvas_box *b, double gap);
/* Takes a place; false, and nothing is taken: it leaves the picture or overlaps another one. */
bool canvas_take(struct canvas *c, struct canvas_box box);
/* The base line of what stands at the top. */
double canvas_first_line(const struct canvas *c);
/* Text in ink. */
void canvas_write(struct canvas *c, struct text *size, double x, double y, enum text_align align, const char *utf8);

/* ---- tree.c: the cells of the tree that a force builds of the bodies of a picture (force/cells.h), drawn over it ----
 */

#define TREE_DEPTH_MAX 64

struct tree_options {
    int depth; /* levels of cells, the root's being 0; -1: none */
    bool of_given;
    uint64_t of; /* the id of a body: the cells that act on it as one mass are drawn */
};

struct tree;

/* Returns whether cells are to be drawn; dies (usage) if the force has none. */
bool tree_is_drawn(const struct render_options *o);
/* NULL: none are to be drawn. */
struct tree *tree_create(const struct render_options *o);
void tree_destroy(struct tree *t); /* NULL is allowed */
/* Takes the tree of these bodies; dies if the body is not among them, nor was in a frame before. */
void tree_catch(struct tree *t, const struct nb_bodies *b);
/* Draws what was caught last over a picture that is to be shown: thin lines, fainter from level to level, and where
 * they meet the less faint one; cells of less than two pixels are left out. */
void tree_draw(const struct tree *t, const struct panes *panes, struct picture *p);

/* ---- overlay.c: what is written and drawn over a finished picture: time, scale bar, colour bar, title, energy, a box,
 * numbers of the frame.
 *
 * Text is 1/45 of the picture's smaller side, at least 11 pixels, the margins are 1/40 of it. What would leave the
 * picture or overlap something that is there already is left out, in the order of the flags below. */

enum {
    OVERLAY_BOX = 1,        /* a cube about the first frame's centre, in every pane */
    OVERLAY_TIME = 2,       /* top left */
    OVERLAY_SCALE = 4,      /* bottom left of every pane */
    OVERLAY_COLORBAR = 8,   /* right */
    OVERLAY_ENERGY = 16,    /* bottom right */
    OVERLAY_TITLE = 32,     /* top middle */
    OVERLAY_BODIES = 64,    /* below the time, each in a line: their number, */
    OVERLAY_STEP = 128,     /* the step of the header, */
    OVERLAY_MOMENTUM = 256, /* and the errors */
    OVERLAY_ANGULAR = 512,
    OVERLAY_ARROWS = 1024, /* in every pane, with one for reference bottom middle; by --arrows */
};

#define ARROWS_MAX 200

/* ---- titles.c: what --title says ---- */

#define TITLE_FADE_S 0.5 /* seconds of film in which a title appears, and vanishes */

struct title {
    double from, to; /* times of the stream, -INFINITY and INFINITY: without a begin, or an end */
    const char *text;
};

struct titles {
    struct title *one;
    int count;
};

/* Takes TEXT or T0:T1:TEXT, from which both times may be missing, into the titles `o->to`. One for the same time takes
 * the place of an older one. */
void titles_take(const struct tool_option *o, const char *text);
bool titles_have_text(const struct titles *t);
/* How much of it is seen, 0 to 1, at a time, if it appears in the time `fade` >= 0, or in a third of its own. */
double title_opacity(const struct title *t, double time, double fade);

struct overlay_options {
    unsigned shown;
    bool given; /* --overlay was; else a map may choose */
    struct titles titles;
    bool axes;
    int arrows; /* columns of them; 0: none */
    struct tree_options tree;
};

extern const struct tool_option overlay_table[], wall_table[];
/* Once all options are known: of a map the colour bar is shown unless --overlay says otherwise; dies (usage) on what
 * does not go together. */
void overlay_options_finish(struct overlay_options *o, bool is_map);

#define TEXT_LEAST 11 /* pixels */

/* The size of text in a picture. */
static inline double overlay_em(int width, int height)
{
    return fmax(fmin(width, height) / TEXT_SHARE, TEXT_LEAST);
}

struct overlay_box {
    double middle[3], side; /* length units */
};

/* What a picture's overlays say. */
struct number;

struct overlay_moment {
    double time, apart; /* apart: from picture to picture */
    double fade;        /* of titles, time units */
    struct nb_units units;
    struct overlay_box box;
    size_t energies;              /* of those noted, as many as there were */
    const struct number *numbers; /* NULL: not noted */
    const struct legend *legend;  /* colour NULL: there is none */
    unsigned components;          /* bits of those that the bodies have, for their legend */
};

struct overlay;
struct render_options;

/* Dies where there is no font, or with a warning shows nothing if nobody asked for text. NULL: nothing is to be shown.
 */
struct overlay *overlay_create(const struct render_options *o);
void overlay_destroy(struct overlay *v); /* NULL is allowed */

/* A frame of the input with all its bodies, in their order: its energy is noted, once for each time. Dies where energy
 * is wanted and there is no potential. */
void overlay_note(struct overlay *v, const struct nb_bodies *b);
/* Takes what the next picture is to say, but for its legend, and what its bodies `b` do; the first one sets the box. */
void overlay_catch(struct overlay *v, const struct nb_meta *meta, const struct panes *panes, const struct nb_bodies *b);
/* Draws what was caught last over a picture that is to be shown. */
void overlay_draw(struct overlay *v, const struct panes *panes, const struct legend *legend, struct picture *p);

/* ---- canvas.c, part_*.c: the overlays one by one; each leaves itself out where it does not fit ---- */

/* "t = 3.20", top left; with a unit where the stream has one, and as many digits as tell pictures from each other. */
void part_time(struct canvas *c, const struct overlay_moment *m);
struct number { /* of a frame */
    double time;
    uint64_t n, step;
    double momentum_error, angular_momentum_error;
};

struct numbers { /* begins as zeros */
    struct nb_momenta first;
    struct number *of; /* the frames in their order */
    size_t count;
};

/* Notes a frame, once for each time. Dies without memory. */
void numbers_note(struct numbers *n, const struct nb_bodies *b, bool with_errors);
/* The frame nearest to a time, of those since time turned round; count > 0. */
const struct number *numbers_at(const struct numbers *n, double time);
/* A line for each of the flags, below the time if that is shown: "n = 20000", "step 128", errors. */
void part_numbers(struct canvas *c, const struct number *now, unsigned shown);
/* Top middle, cut short where it is too long; opacity above 0. */
void part_title(struct canvas *c, const char *title, double opacity);
/* A bar of a round length, a tenth to a quarter of the pane's width, bottom left; its length above. */
void part_scale(struct canvas *c, const struct overlay_moment *m, const struct pane *pane);
/* Makes a box about the view's centre the largest one whose side is a round number or 1.5, 3, 4, 6 or 8 times a power
 * of ten, and whose corners are well inside the pane. Side 0: there is none. */
void part_box_set(struct overlay_box *box, const struct pane *pane);
/* The edges of the box, and the names of its axes. */
void part_box(struct canvas *c, const struct overlay_box *box, const struct pane *pane);

/* A strip of the colours with ticks at round values, or at ranks evenly, and above it what they show; or the components
 * by their names. On the right, three eighths of the picture's height. */
void part_colorbar(struct canvas *c, const struct overlay_moment *m);

struct arrows { /* begins as zeros, but for the columns */
    int columns;
    double (*sum[LAYOUT_PANES_MAX])[3]; /* of each pane's cells: mass, and momentum to the right and up */
    uint64_t room[LAYOUT_PANES_MAX];
    double reference, stretch; /* a speed; pixels of 1; 0: nothing has moved yet */
};

/* Takes the mean velocities of the bodies in the panes' cells. Dies without memory. */
void arrows_catch(struct arrows *a, const struct panes *panes, const struct nb_bodies *b);
void arrows_free(struct arrows *a);
/* Those of a pane, in the middles of their cells, where nothing else stands; and below one of a round speed, with that.
 */
void part_arrows(struct canvas *c, const struct arrows *a, const struct panes *panes, int number);
void part_arrow_reference(struct canvas *c, const struct arrows *a, const struct nb_units *units);

struct energies {
    double *time, *error; /* error: nb_measure_energy_error against the first */
    size_t count;
    struct nb_energies first;
};

/* A plot of relative energy error against time with its divisor, if that is not |E0|, bottom right: from the first
 * frame's time to the present one's, and up to a round number to both sides of 0. */
void part_energy(struct canvas *c, const struct energies *e, size_t count);

/* ---- axes.c: a white margin about the picture, with ticks, numbers and the names of what its sides measure ---- */

struct axes;

/* Makes o's picture smaller by the margins. NULL: no axes are wanted. Dies where there is no font, or (usage) no room.
 */
struct axes *axes_create(struct render_options *o);
void axes_destroy(struct axes *a); /* NULL is allowed */
/* Takes what the sides of the next picture measure. */
void axes_catch(struct axes *a, const struct nb_units *units, const struct panes *panes);
/* Puts a picture of the smaller size into a whole one, with what was caught last about it. */
void axes_draw(const struct axes *a, const struct picture *inner, struct picture *p);

/* ---- walls.c: the walls of a frame's header (scene.h), drawn over its picture: they are in the plane z = 0 ---- */

enum wall_style {
    WALLS_FILL, /* what is solid is filled: the inside of a solid, the outside of a container; with its line */
    WALLS_LINES,
    WALLS_NONE,
};

struct wall_options {
    enum wall_style style;
};

struct walls;

/* Dies without memory. NULL: none are to be drawn. */
struct walls *walls_create(const struct wall_options *o);
void walls_destroy(struct walls *w); /* NULL is allowed */

/* Takes the walls of the header; those taken before are forgotten. Dies where the header's lines are wrong. */
void walls_catch(struct walls *w, const struct nb_meta *meta);
/* Draws what was caught last over a picture that is to be shown. Where the camera is beside a part of a wall none of it
 * is filled. Dies without memory. */
void walls_draw(const struct walls *w, const struct panes *panes, struct picture *p);
