/* step_ias15_rows.h - coefficients of step_ias15.c for one scalar type. The file is included once for each type, so it
 * has no include guard. The including file defines SCALAR, the type of the coefficients; WIDE, the type in which they
 * are computed; and NAME, a suffix of the functions. Each row of x and v also contains the rounding errors of its
 * coefficients. */

#define ROWS PASTE(rows, NAME)

struct ROWS {
    WIDE node[NODES + 1], velocity[NODES + 1][NODES], position[NODES + 1][NODES];
    SCALAR weight[NODES], derivative[4][NODES];
    /* row s of x and v: coefficients of the linear combinations that give the changes of position and of velocity from
     * the beginning of the step to node s. The step size h is included: as h for the velocity in x and for
     * accelerations in v, as h^2 for accelerations in x */
    SCALAR x[NODES + 1][INPUTS], v[NODES + 1][INPUTS];
    SCALAR next[NODES][GUESS_INPUTS];
};

static void PASTE(make, NAME)(struct ROWS *w, const struct nb_radau *r)
{
    for (int s = 0; s <= NODES; s++) {
        w->node[s] = (WIDE)r->node[s];
        for (int j = 0; j < NODES; j++) {
            w->velocity[s][j] = (WIDE)r->velocity[s][j];
            w->position[s][j] = (WIDE)r->position[s][j];
        }
    }
    for (int j = 0; j < NODES; j++) {
        w->weight[j] = (SCALAR)r->weight[j];
        for (int k = 0; k < 4; k++)
            w->derivative[k][j] = (SCALAR)r->derivative[k][j];
    }
}

/* Stores the rounded `value` in row[k], and its rounding error in row[LOW + k]. */
static void PASTE(put, NAME)(SCALAR *row, int k, WIDE value)
{
    row[k] = (SCALAR)value;
    row[LOW + k] = (SCALAR)(value - row[k]);
}

static void PASTE(set_step, NAME)(struct ROWS *w, WIDE h)
{
    const WIDE h2 = h * h;
    for (int s = 1; s <= NODES; s++) {
        PASTE(put, NAME)(w->x[s], 0, h * w->node[s]);
        for (int j = 0; j < NODES; j++) {
            PASTE(put, NAME)(w->x[s], 1 + j, h2 * w->position[s][j]);
            PASTE(put, NAME)(w->v[s], 1 + j, h * w->velocity[s][j]);
        }
    }
}

/* Sets the matrix w->next. It extrapolates the polynomial of the last step to the nodes of the next step. The
 * extrapolated accelerations are the first guesses for the next step. ratio: (size of the next step) / (size of the
 * last step). If `corrected` is true, the error of the last step's guess at the same node is added to each guess. */
static void PASTE(set_guess, NAME)(struct ROWS *w, SCALAR ratio, bool corrected)
{
    for (int s = 1; s < NODES; s++) {
        const SCALAR t = 1 + ratio * (SCALAR)w->node[s];
        SCALAR product = 1;
        for (int k = 0; k < NODES; k++)
            product *= t - (SCALAR)w->node[k];
        for (int j = 0; j < NODES; j++)
            w->next[s][j] = product * w->weight[j] / (t - (SCALAR)w->node[j]);
        memset(w->next[s] + NODES, 0, (NODES - 1) * sizeof(SCALAR));
        if (corrected) {
            w->next[s][s] += 1;
            w->next[s][NODES + s - 1] = -1;
        }
    }
}

#undef ROWS
#undef SCALAR
#undef WIDE
#undef NAME
