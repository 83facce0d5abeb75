/* orbit.h - two bodies on a Kepler orbit, and turning its plane. Any units; gm is G times the sum of the masses. */
#pragma once

/* Relative position and velocity at true anomaly nu (radians) of an orbit with pericentre distance q and eccentricity
 * e >= 0, in the plane z = 0, pericentre on the x axis, running anticlockwise. */
void orbit_state(double gm, double q, double e, double nu, double pos[3], double vel[3]);
/* True anomaly, in [-pi, 0], where the orbit coming in from apocentre or infinity passes the distance r >= q > 0. NAN
 * where it never does. A circular orbit is at -0 where r = q. */
double orbit_anomaly_in(double q, double e, double r);
/* Time from the pericentre to true anomaly nu in (-pi, pi), negative before it; -pi and pi too of an ellipse. */
double orbit_time(double gm, double q, double e, double nu);
/* True anomaly from the mean anomaly of an ellipse, radians (Kepler's equation, by Newton's method). */
double orbit_true_anomaly(double mean_anomaly, double e);

/* Turns a vector in place: by `argument` around z, by `inclination` around x, by `node` around z; radians. */
struct orbit_plane {
    double matrix[3][3];
};
struct orbit_plane orbit_plane(double node, double inclination, double argument);
void orbit_turn(const struct orbit_plane *plane, double v[3]);

/* How a galaxy lies: degrees from the z axis to its spin, and from x to its line of nodes. */
struct orbit_tilt {
    double inclination, node;
};
struct orbit_plane orbit_tilted(struct orbit_tilt tilt);
