/* Explicit Runge-Kutta schemes up to order 8. */
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

/* x += v + a/2; v += a, with the acceleration before both. */
const struct nb_scheme nb_scheme_rosetta = {
    .name = "rosetta",
    .about = "the Rosetta Code example with its unit step (--dt 1)",
    .reference = "rosettacode.org, N-body problem",
    .order = 1,
    .evaluations = 1,
    BUTCHER(.stages = 1, .c = ROW(0), .b = ROW(1), .position = ROW(0.5Q)),
};

const struct nb_scheme nb_scheme_midpoint = {
    .name = "midpoint",
    .about = "Runge's second scheme",
    .reference = "Runge 1895, Math. Ann. 46, 167",
    .order = 2,
    .evaluations = 2,
    BUTCHER(.stages = 2, .c = ROW(0, 0.5Q), .a = ROW(0.5Q), .b = ROW(0, 1)),
};

const struct nb_scheme nb_scheme_rk4 = {
    .name = "rk4",
    .about = "the classical scheme",
    .reference = "Kutta 1901, Z. Math. Phys. 46, 435",
    .order = 4,
    .evaluations = 4,
    BUTCHER(.stages = 4, .c = ROW(0, 0.5Q, 0.5Q, 1), .a = ROW(0.5Q, 0, 0.5Q, 0, 0, 1),
            .b = ROW(1 / 6.0Q, 1 / 3.0Q, 1 / 3.0Q, 1 / 6.0Q)),
};

/* clang-format off */

static const nb_quad rkck54_a[] = {
    1 / 5.0Q,
    3 / 40.0Q, 9 / 40.0Q,
    3 / 10.0Q, -9 / 10.0Q, 6 / 5.0Q,
    -11 / 54.0Q, 5 / 2.0Q, -70 / 27.0Q, 35 / 27.0Q,
    1631 / 55296.0Q, 175 / 512.0Q, 575 / 13824.0Q, 44275 / 110592.0Q, 253 / 4096.0Q,
};

static const nb_quad rkdp54_a[] = {
    1 / 5.0Q,
    3 / 40.0Q, 9 / 40.0Q,
    44 / 45.0Q, -56 / 15.0Q, 32 / 9.0Q,
    19372 / 6561.0Q, -25360 / 2187.0Q, 64448 / 6561.0Q, -212 / 729.0Q,
    9017 / 3168.0Q, -355 / 33.0Q, 46732 / 5247.0Q, 49 / 176.0Q, -5103 / 18656.0Q,
    35 / 384.0Q, 0, 500 / 1113.0Q, 125 / 192.0Q, -2187 / 6784.0Q, 11 / 84.0Q,
};

static const nb_quad verner65_a[] = {
    1 / 6.0Q,
    4 / 75.0Q, 16 / 75.0Q,
    5 / 6.0Q, -8 / 3.0Q, 5 / 2.0Q,
    -165 / 64.0Q, 55 / 6.0Q, -425 / 64.0Q, 85 / 96.0Q,
    12 / 5.0Q, -8, 4015 / 612.0Q, -11 / 36.0Q, 88 / 255.0Q,
    -8263 / 15000.0Q, 124 / 75.0Q, -643 / 680.0Q, -81 / 250.0Q, 2484 / 10625.0Q, 0,
    3501 / 1720.0Q, -300 / 43.0Q, 297275 / 52632.0Q, -319 / 2322.0Q, 24068 / 84065.0Q, 0, 3850 / 26703.0Q,
};

static const nb_quad rkf78_a[] = {
    2 / 27.0Q,
    1 / 36.0Q, 1 / 12.0Q,
    1 / 24.0Q, 0, 1 / 8.0Q,
    5 / 12.0Q, 0, -25 / 16.0Q, 25 / 16.0Q,
    1 / 20.0Q, 0, 0, 1 / 4.0Q, 1 / 5.0Q,
    -25 / 108.0Q, 0, 0, 125 / 108.0Q, -65 / 27.0Q, 125 / 54.0Q,
    31 / 300.0Q, 0, 0, 0, 61 / 225.0Q, -2 / 9.0Q, 13 / 900.0Q,
    2, 0, 0, -53 / 6.0Q, 704 / 45.0Q, -107 / 9.0Q, 67 / 90.0Q, 3,
    -91 / 108.0Q, 0, 0, 23 / 108.0Q, -976 / 135.0Q, 311 / 54.0Q, -19 / 60.0Q, 17 / 6.0Q, -1 / 12.0Q,
    2383 / 4100.0Q, 0, 0, -341 / 164.0Q, 4496 / 1025.0Q, -301 / 82.0Q, 2133 / 4100.0Q, 45 / 82.0Q, 45 / 164.0Q,
        18 / 41.0Q,
    3 / 205.0Q, 0, 0, 0, 0, -6 / 41.0Q, -3 / 205.0Q, -3 / 41.0Q, 3 / 41.0Q, 6 / 41.0Q, 0,
    -1777 / 4100.0Q, 0, 0, -341 / 164.0Q, 4496 / 1025.0Q, -289 / 82.0Q, 2193 / 4100.0Q, 51 / 82.0Q, 33 / 164.0Q,
        12 / 41.0Q, 0, 1,
};

/* clang-format on */

const struct nb_scheme nb_scheme_rkck54 = {
    .name = "rkck54",
    .about = "Cash and Karp 5(4)",
    .reference = "Cash & Karp 1990, ACM Trans. Math. Softw. 16, 201",
    .order = 5,
    .evaluations = 6,
    .traits = NB_ADAPTIVE,
    BUTCHER(.stages = 6, .a = rkck54_a, .c = ROW(0, 1 / 5.0Q, 3 / 10.0Q, 3 / 5.0Q, 1, 7 / 8.0Q),
            .b = ROW(37 / 378.0Q, 0, 250 / 621.0Q, 125 / 594.0Q, 0, 512 / 1771.0Q),
            .error = ROW(37 / 378.0Q - 2825 / 27648.0Q, 0, 250 / 621.0Q - 18575 / 48384.0Q,
                         125 / 594.0Q - 13525 / 55296.0Q, -277 / 14336.0Q, 512 / 1771.0Q - 1 / 4.0Q),
            .error_order = 4),
};

const struct nb_scheme nb_scheme_rkdp54 = {
    .name = "rkdp54",
    .about = "Dormand and Prince 5(4), first same as last",
    .reference = "Dormand & Prince 1980, J. Comput. Appl. Math. 6, 19",
    .order = 5,
    .evaluations = 6,
    .traits = NB_ADAPTIVE,
    BUTCHER(.stages = 7, .a = rkdp54_a, .c = ROW(0, 1 / 5.0Q, 3 / 10.0Q, 4 / 5.0Q, 8 / 9.0Q, 1, 1),
            .b = ROW(35 / 384.0Q, 0, 500 / 1113.0Q, 125 / 192.0Q, -2187 / 6784.0Q, 11 / 84.0Q, 0),
            .error = ROW(35 / 384.0Q - 5179 / 57600.0Q, 0, 500 / 1113.0Q - 7571 / 16695.0Q, 125 / 192.0Q - 393 / 640.0Q,
                         92097 / 339200.0Q - 2187 / 6784.0Q, 11 / 84.0Q - 187 / 2100.0Q, -1 / 40.0Q),
            .error_order = 4, .same_as_last = true),
};

const struct nb_scheme nb_scheme_verner65 = {
    .name = "verner65",
    .about = "Verner 6(5), as in DVERK",
    .reference = "Verner 1978, SIAM J. Numer. Anal. 15, 772",
    .order = 6,
    .evaluations = 8,
    .traits = NB_ADAPTIVE,
    BUTCHER(.stages = 8, .a = verner65_a, .c = ROW(0, 1 / 6.0Q, 4 / 15.0Q, 2 / 3.0Q, 5 / 6.0Q, 1, 1 / 15.0Q, 1),
            .b = ROW(3 / 40.0Q, 0, 875 / 2244.0Q, 23 / 72.0Q, 264 / 1955.0Q, 0, 125 / 11592.0Q, 43 / 616.0Q),
            .error = ROW(3 / 40.0Q - 13 / 160.0Q, 0, 875 / 2244.0Q - 2375 / 5984.0Q, 23 / 72.0Q - 5 / 16.0Q,
                         264 / 1955.0Q - 12 / 85.0Q, -3 / 44.0Q, 125 / 11592.0Q, 43 / 616.0Q),
            .error_order = 5),
};

const struct nb_scheme nb_scheme_rkf78 = {
    .name = "rkf78",
    .about = "Fehlberg 7(8), advanced with order 8",
    .reference = "Fehlberg 1968, NASA TR R-287",
    .order = 8,
    .evaluations = 13,
    .traits = NB_ADAPTIVE,
    BUTCHER(.stages = 13, .a = rkf78_a,
            .c = ROW(0, 2 / 27.0Q, 1 / 9.0Q, 1 / 6.0Q, 5 / 12.0Q, 1 / 2.0Q, 5 / 6.0Q, 1 / 6.0Q, 2 / 3.0Q, 1 / 3.0Q, 1,
                     0, 1),
            .b = ROW(0, 0, 0, 0, 0, 34 / 105.0Q, 9 / 35.0Q, 9 / 35.0Q, 9 / 280.0Q, 9 / 280.0Q, 0, 41 / 840.0Q,
                     41 / 840.0Q),
            .error = ROW(-41 / 840.0Q, 0, 0, 0, 0, 0, 0, 0, 0, 0, -41 / 840.0Q, 41 / 840.0Q, 41 / 840.0Q),
            .error_order = 7),
};
