/* orbit.h - Kepler orbits of two bodies, and rotations of the orbital plane. gm is G times the sum of the masses, in
 * any system of units. */
#pragma once

/* Computes the relative position and velocity at true anomaly nu (radians) on an orbit with pericentre distance q and
 * eccentricity e >= 0. The orbit is in the plane z = 0, anticlockwise, with the pericentre on the x axis. */
void orbit_state(double gm, double q, double e, double nu, double pos[3], double vel[3]);
/* Returns the true anomaly, in [-pi, 0], at which an approaching body is at distance r >= q > 0 from the other body.
 * Returns NAN if the orbit does not extend to r. The anomaly is -0 for a circular orbit with r = q. */
double orbit_anomaly_in(double q, double e, double r);
/* Returns the time from the pericentre to the true anomaly nu. It is negative if nu is negative. nu is in (-pi, pi);
 * for an ellipse, -pi and pi are allowed too. */
double orbit_time(double gm, double q, double e, double nu);
/* Returns the true anomaly for the mean anomaly of an ellipse, in radians (Kepler's equation, by Newton's method). */
double orbit_true_anomaly(double mean_anomaly, double e);

/* A rotation: by `argument` around z, then by `inclination` around x, then by `node` around z (angles in radians).
 * orbit_turn applies the rotation to the vector v. */
struct orbit_plane {
    double matrix[3][3];
};
struct orbit_plane orbit_plane(double node, double inclination, double argument);
void orbit_turn(const struct orbit_plane *plane, double v[3]);

/* Orientation of a galaxy in degrees. inclination: angle from the z axis to the galaxy's spin. node: angle from the x
 * axis to its line of nodes. */
struct orbit_tilt {
    double inclination, node;
};
struct orbit_plane orbit_tilted(struct orbit_tilt tilt);
