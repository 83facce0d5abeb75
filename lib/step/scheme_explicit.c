/* scheme_explicit.c - Butcher tables of explicit Runge-Kutta schemes up to order 8. */
#include "step/scheme.h"

#define BUTCHER(...)                                                   \
    .family = &nb_family_explicit, .table = &(const struct nb_butcher) \
    {                                                                  \
        __VA_ARGS__                                                    \
    }
#define ROW(...) ((const nb_quad[]){__VA_ARGS__})

const struct nb_scheme nb_scheme_euler = {
    .name = "euler",
    .about = "for comparison",
    .reference = "Euler 1768, Institutiones calculi integralis",
    .order = 1,
    .evaluations = 1,
    BUTCHER(.stages = 1, .c = ROW(0), .b = ROW(1)),
};

/* A step of length 1 is x += v + a/2, then v += a. Both use the acceleration a at the beginning of the step. */
const struct nb_scheme nb_scheme_rosetta = {
    .name = "rosetta",
    .about = "the Rosetta Code example with its unit step (--dt 1)",
    .reference = "rosettacode.org, N-body problem",
    .order = 1,
    .evaluations = 1,
    BUTCHER(.stages = 1, .c = ROW(0), .b = ROW(1), .position = ROW(Q(0.5))),
};

const struct nb_scheme nb_scheme_midpoint = {
    .name = "midpoint",
    .about = "Runge's second scheme",
    .reference = "Runge 1895, Math. Ann. 46, 167",
    .order = 2,
    .evaluations = 2,
    BUTCHER(.stages = 2, .c = ROW(0, Q(0.5)), .a = ROW(Q(0.5)), .b = ROW(0, 1)),
};

const struct nb_scheme nb_scheme_rk4 = {
    .name = "rk4",
    .about = "the classical scheme",
    .reference = "Kutta 1901, Z. Math. Phys. 46, 435",
    .order = 4,
    .evaluations = 4,
    BUTCHER(.stages = 4, .c = ROW(0, Q(0.5), Q(0.5), 1), .a = ROW(Q(0.5), 0, Q(0.5), 0, 0, 1),
            .b = ROW(1 / Q(6.0), 1 / Q(3.0), 1 / Q(3.0), 1 / Q(6.0))),
};

/* clang-format off */

static const nb_quad rkck54_a[] = {
    1 / Q(5.0),
    3 / Q(40.0), 9 / Q(40.0),
    3 / Q(10.0), -9 / Q(10.0), 6 / Q(5.0),
    -11 / Q(54.0), 5 / Q(2.0), -70 / Q(27.0), 35 / Q(27.0),
    1631 / Q(55296.0), 175 / Q(512.0), 575 / Q(13824.0), 44275 / Q(110592.0), 253 / Q(4096.0),
};

static const nb_quad rkdp54_a[] = {
    1 / Q(5.0),
    3 / Q(40.0), 9 / Q(40.0),
    44 / Q(45.0), -56 / Q(15.0), 32 / Q(9.0),
    19372 / Q(6561.0), -25360 / Q(2187.0), 64448 / Q(6561.0), -212 / Q(729.0),
    9017 / Q(3168.0), -355 / Q(33.0), 46732 / Q(5247.0), 49 / Q(176.0), -5103 / Q(18656.0),
    35 / Q(384.0), 0, 500 / Q(1113.0), 125 / Q(192.0), -2187 / Q(6784.0), 11 / Q(84.0),
};

static const nb_quad verner65_a[] = {
    1 / Q(6.0),
    4 / Q(75.0), 16 / Q(75.0),
    5 / Q(6.0), -8 / Q(3.0), 5 / Q(2.0),
    -165 / Q(64.0), 55 / Q(6.0), -425 / Q(64.0), 85 / Q(96.0),
    12 / Q(5.0), -8, 4015 / Q(612.0), -11 / Q(36.0), 88 / Q(255.0),
    -8263 / Q(15000.0), 124 / Q(75.0), -643 / Q(680.0), -81 / Q(250.0), 2484 / Q(10625.0), 0,
    3501 / Q(1720.0), -300 / Q(43.0), 297275 / Q(52632.0), -319 / Q(2322.0), 24068 / Q(84065.0), 0, 3850 / Q(26703.0),
};

static const nb_quad rkf78_a[] = {
    2 / Q(27.0),
    1 / Q(36.0), 1 / Q(12.0),
    1 / Q(24.0), 0, 1 / Q(8.0),
    5 / Q(12.0), 0, -25 / Q(16.0), 25 / Q(16.0),
    1 / Q(20.0), 0, 0, 1 / Q(4.0), 1 / Q(5.0),
    -25 / Q(108.0), 0, 0, 125 / Q(108.0), -65 / Q(27.0), 125 / Q(54.0),
    31 / Q(300.0), 0, 0, 0, 61 / Q(225.0), -2 / Q(9.0), 13 / Q(900.0),
    2, 0, 0, -53 / Q(6.0), 704 / Q(45.0), -107 / Q(9.0), 67 / Q(90.0), 3,
    -91 / Q(108.0), 0, 0, 23 / Q(108.0), -976 / Q(135.0), 311 / Q(54.0), -19 / Q(60.0), 17 / Q(6.0), -1 / Q(12.0),
    2383 / Q(4100.0), 0, 0, -341 / Q(164.0), 4496 / Q(1025.0), -301 / Q(82.0), 2133 / Q(4100.0), 45 / Q(82.0),
        45 / Q(164.0),
        18 / Q(41.0),
    3 / Q(205.0), 0, 0, 0, 0, -6 / Q(41.0), -3 / Q(205.0), -3 / Q(41.0), 3 / Q(41.0), 6 / Q(41.0), 0,
    -1777 / Q(4100.0), 0, 0, -341 / Q(164.0), 4496 / Q(1025.0), -289 / Q(82.0), 2193 / Q(4100.0), 51 / Q(82.0),
        33 / Q(164.0),
        12 / Q(41.0), 0, 1,
};

/* clang-format on */

const struct nb_scheme nb_scheme_rkck54 = {
    .name = "rkck54",
    .about = "Cash and Karp 5(4)",
    .reference = "Cash & Karp 1990, ACM Trans. Math. Softw. 16, 201",
    .order = 5,
    .evaluations = 6,
    .traits = NB_ADAPTIVE,
    .usual_tolerance = 1e-12,
    BUTCHER(.stages = 6, .a = rkck54_a, .c = ROW(0, 1 / Q(5.0), 3 / Q(10.0), 3 / Q(5.0), 1, 7 / Q(8.0)),
            .b = ROW(37 / Q(378.0), 0, 250 / Q(621.0), 125 / Q(594.0), 0, 512 / Q(1771.0)),
            .error = ROW(37 / Q(378.0) - 2825 / Q(27648.0), 0, 250 / Q(621.0) - 18575 / Q(48384.0),
                         125 / Q(594.0) - 13525 / Q(55296.0), -277 / Q(14336.0), 512 / Q(1771.0) - 1 / Q(4.0)),
            .error_order = 4),
};

const struct nb_scheme nb_scheme_rkdp54 = {
    .name = "rkdp54",
    .about = "Dormand and Prince 5(4), first same as last",
    .reference = "Dormand & Prince 1980, J. Comput. Appl. Math. 6, 19",
    .order = 5,
    .evaluations = 6,
    .traits = NB_ADAPTIVE,
    .usual_tolerance = 1e-12,
    BUTCHER(.stages = 7, .a = rkdp54_a, .c = ROW(0, 1 / Q(5.0), 3 / Q(10.0), 4 / Q(5.0), 8 / Q(9.0), 1, 1),
            .b = ROW(35 / Q(384.0), 0, 500 / Q(1113.0), 125 / Q(192.0), -2187 / Q(6784.0), 11 / Q(84.0), 0),
            .error = ROW(35 / Q(384.0) - 5179 / Q(57600.0), 0, 500 / Q(1113.0) - 7571 / Q(16695.0),
                         125 / Q(192.0) - 393 / Q(640.0), 92097 / Q(339200.0) - 2187 / Q(6784.0),
                         11 / Q(84.0) - 187 / Q(2100.0), -1 / Q(40.0)),
            .error_order = 4, .same_as_last = true),
};

const struct nb_scheme nb_scheme_verner65 = {
    .name = "verner65",
    .about = "Verner 6(5), as in DVERK",
    .reference = "Verner 1978, SIAM J. Numer. Anal. 15, 772",
    .order = 6,
    .evaluations = 8,
    .traits = NB_ADAPTIVE,
    .usual_tolerance = 1e-12,
    BUTCHER(.stages = 8, .a = verner65_a,
            .c = ROW(0, 1 / Q(6.0), 4 / Q(15.0), 2 / Q(3.0), 5 / Q(6.0), 1, 1 / Q(15.0), 1),
            .b =
                ROW(3 / Q(40.0), 0, 875 / Q(2244.0), 23 / Q(72.0), 264 / Q(1955.0), 0, 125 / Q(11592.0), 43 / Q(616.0)),
            .error = ROW(3 / Q(40.0) - 13 / Q(160.0), 0, 875 / Q(2244.0) - 2375 / Q(5984.0), 23 / Q(72.0) - 5 / Q(16.0),
                         264 / Q(1955.0) - 12 / Q(85.0), -3 / Q(44.0), 125 / Q(11592.0), 43 / Q(616.0)),
            .error_order = 5),
};

const struct nb_scheme nb_scheme_rkf78 = {
    .name = "rkf78",
    .about = "Fehlberg 7(8), advanced with order 8",
    .reference = "Fehlberg 1968, NASA TR R-287",
    .order = 8,
    .evaluations = 13,
    .traits = NB_ADAPTIVE,
    .usual_tolerance = 1e-12,
    BUTCHER(.stages = 13, .a = rkf78_a,
            .c = ROW(0, 2 / Q(27.0), 1 / Q(9.0), 1 / Q(6.0), 5 / Q(12.0), 1 / Q(2.0), 5 / Q(6.0), 1 / Q(6.0),
                     2 / Q(3.0), 1 / Q(3.0), 1, 0, 1),
            .b = ROW(0, 0, 0, 0, 0, 34 / Q(105.0), 9 / Q(35.0), 9 / Q(35.0), 9 / Q(280.0), 9 / Q(280.0), 0,
                     41 / Q(840.0), 41 / Q(840.0)),
            .error = ROW(-41 / Q(840.0), 0, 0, 0, 0, 0, 0, 0, 0, 0, -41 / Q(840.0), 41 / Q(840.0), 41 / Q(840.0)),
            .error_order = 7),
};
