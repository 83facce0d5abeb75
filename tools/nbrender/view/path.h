/* path.h - where the camera is at any time, from a file of keyframes.
 *
 * A line is a keyframe: eleven numbers
 *
 *   time  position x y z  target x y z  up x y z  fov
 *
 * with white space between them; `#` and what follows is a comment, empty lines are nothing. Times ascend, or descend
 * for a film backwards in time. fov is the horizontal angle of view in degrees. Of `up` counts what is across the line
 * of sight. */
#ifndef NBRENDER_PATH_H
#define NBRENDER_PATH_H

struct pose {
    double position[3], target[3];
    double up[3]; /* of any length, not along the line of sight */
    double fov_deg;
};

struct path;

/* Reads a file; dies with the line's number where it is no such file, or cannot be read. */
struct path *path_read(const char *file);
void path_free(struct path *p); /* NULL is allowed */

/* Between two keyframes cubic in time (Catmull and Rom 1974, for steps of any length): through each keyframe with the
 * velocity of the parabola through it and its neighbours; it starts from rest at the first and comes to rest at the
 * last, where it is before and after. Between two equal keyframes it rests. */
struct pose path_at(const struct path *p, double time);

#endif
