/* nbtools.h - N-body systems and snapshot streams for programs: the C interface of nbtools, described in nbtools(3).
 *
 * Every function that can fail returns -1 or NULL, and nbt_error() then gives the reason in one line. Nothing is
 * printed, and the process is never ended. Objects are independent of each other. Threads may use different objects at
 * the same time; an object must be used by one thread at a time. All values are in the units of the frame. Arrays of
 * vectors have the order x0 y0 z0 x1 y1 z1 ... */
#ifndef NBTOOLS_H
#define NBTOOLS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NBT_API __attribute__((visibility("default")))

struct nbt_frame;  /* the state of n bodies at one time: columns of values, and a header */
struct nbt_stream; /* a snapshot stream, read or written (nbs(5)) */
struct nbt_system; /* bodies that move, on a device */

enum nbt_type { NBT_F32, NBT_F64, NBT_U8, NBT_U32, NBT_U64 };

/* Returns the version of the library, "0.1.0". */
NBT_API const char *nbt_version(void);
/* Returns the message of the last failure in this thread. Call it directly after the call that failed: the next call of
 * another function in the thread may change the message. */
NBT_API const char *nbt_error(void);

/* ---- frames ---- */

/* Returns a frame of n bodies at rest at the origin with mass 0. It has the columns mass, pos and vel (NBT_F64), in
 * code units with G = 1. Free it with nbt_frame_free. */
NBT_API struct nbt_frame *nbt_frame_new(uint64_t n);
NBT_API void nbt_frame_free(struct nbt_frame *f); /* NULL is allowed */
/* Returns the number of bodies. */
NBT_API uint64_t nbt_frame_bodies(const struct nbt_frame *f);
/* Returns the name of column k, counted from 0; NULL if there is no such column. Valid until columns are added or
 * removed. */
NBT_API const char *nbt_column_name(const struct nbt_frame *f, int k);
/* Returns the values of a column, n * width values of *type; NULL if there is no such column. *width is 1 or 3. `type`
 * and `width` may be NULL. The frame owns the values; the caller may change them. The pointer is valid until
 * nbt_column_set sets the column, nbt_stream_read reads into the frame, or the frame is freed.
 * In the frame of a system, mass, pos and vel are NBT_F64, and their pointers are valid until bodies are added or
 * removed. Pointers to other columns of a system are valid until the next call for the system. */
NBT_API void *nbt_column_get(const struct nbt_frame *f, const char *name, enum nbt_type *type, int *width);
/* Copies n * width values into the column `name`. If `values` is NULL, sets the column to zeros. The column is created
 * if it does not exist, and replaced if it has another type or width. */
NBT_API int nbt_column_set(struct nbt_frame *f, const char *name, enum nbt_type type, int width, const void *values);
/* Read and set numbers of the header: "time", "step" (steps since the beginning), "G", "softening", "dt". The units
 * "length_cgs", "mass_cgs" and "time_cgs" can only be read; they are 0 if the frame is in code units. Both functions
 * return 0, or -1 if there is no such number or the value is invalid. */
NBT_API int nbt_value_get(const struct nbt_frame *f, const char *name, double *value);
NBT_API int nbt_value_set(struct nbt_frame *f, const char *name, double value);
/* Sets units and G to those of "code", "galactic", "solar" or "gauss" (nbs(5)). Does not convert values of columns. */
NBT_API int nbt_units_set(struct nbt_frame *f, const char *name);

/* ---- streams ---- */

#define NBT_FIRST 0
#define NBT_LAST  (-1)

/* Opens a file ("-": stdin) for reading, starting with frame number `frame`. Frames are counted from 0; NBT_LAST: the
 * last frame. */
NBT_API struct nbt_stream *nbt_stream_open(const char *path, int64_t frame);
/* Opens a file for writing, "-" for stdout. A regular file is written under the name PATH.part; nbt_stream_close
 * renames it to PATH and replaces an existing file PATH. Fails if another stream is writing PATH.part. Overwrites a
 * PATH.part of an earlier run. */
NBT_API struct nbt_stream *nbt_stream_create(const char *path);
/* Reads the next frame into f and replaces its columns. Returns 1, or 0 at the end of the stream. After a failure f has
 * no bodies. If f is NULL, returns -1 and does not change the message of nbt_error. A caller can therefore pass the
 * result of nbt_frame_new unchecked. */
NBT_API int nbt_stream_read(struct nbt_stream *s, struct nbt_frame *f);
/* Writes a frame. If f is NULL, returns -1 and does not change the message of nbt_error. A caller can therefore pass
 * the result of nbt_system_frame unchecked. */
NBT_API int nbt_stream_write(struct nbt_stream *s, const struct nbt_frame *f);
/* Ends the stream and always frees it. Returns -1 if the output is incomplete. NULL is allowed. */
NBT_API int nbt_stream_close(struct nbt_stream *s);

/* ---- systems ---- */

/* Returns a system of n bodies at time 0 in code units. Copies n masses, 3 n coordinates of positions and 3 n
 * coordinates of velocities. Close the system with nbt_system_close. If n is 0, the arrays may be NULL; computations
 * with the system then fail until bodies are added. */
NBT_API struct nbt_system *nbt_system_new(uint64_t n, const double *mass, const double *pos, const double *vel);
/* Returns a system with copies of the units, header and columns of a frame. The caller still owns the frame. */
NBT_API struct nbt_system *nbt_system_of(const struct nbt_frame *f);
NBT_API void nbt_system_close(struct nbt_system *s); /* NULL is allowed */

/* Sets an option of nbsim, named without "--": device, force (each call adds a force), theta, rebuild, pn, softening,
 * precision, integrator, dt, tolerance, min-dt, max-dt, eta, max-rungs, neighbours. dt is always positive, even if the
 * system runs backwards in time. Times with nbsim's unit `dyn` are not supported. If options contradict each other, the
 * next computation fails. If `value` is NULL, the option gets its default again.
 *
 * Defaults are those of nbsim. Force, softening and dt are read from the frame's header, and softening also from the
 * frame's column "softening". Setting the option softening removes this column. Steps write the external forces,
 * softening and dt in use to the header, so these become the new defaults. */
NBT_API int nbt_option_set(struct nbt_system *s, const char *option, const char *value);
/* Returns the value that the system uses for the option "device", "force", "integrator" or "precision". The value was
 * set or chosen automatically. The text is valid until the next call. Returns NULL after a failure. */
NBT_API const char *nbt_option_get(struct nbt_system *s, const char *option);

/* Returns the system as a frame with the present bodies. The frame belongs to the system. After changing values in the
 * frame, call nbt_changed. Returns NULL after a failure. */
NBT_API struct nbt_frame *nbt_system_frame(struct nbt_system *s);
/* Call this function after changing values in the system's frame: columns, time, G. If you change the number of bodies
 * or the time without calling this function, later calls for the system fail. */
NBT_API int nbt_changed(struct nbt_system *s);

/* Advances the system to `time`, which may be before its present time. If a step fails, every further call for the
 * system fails, except nbt_system_close. */
NBT_API int nbt_advance(struct nbt_system *s, double time);
/* Adds dv to the velocities. dv: 3 n numbers, the velocity change of each body. */
NBT_API int nbt_kick(struct nbt_system *s, const double *dv);
/* Computes the acceleration (3 * count numbers) and the potential (count numbers) of all forces at `count` points of
 * space (3 * count coordinates). acc or phi may be NULL. */
NBT_API int nbt_field(struct nbt_system *s, uint64_t count, const double *points, double *acc, double *phi);
/* Computes three energies: the kinetic energy, the potential energy of self-gravity (each pair counted once), and the
 * potential energy in external fields. */
NBT_API int nbt_energies(struct nbt_system *s, double energy[3]);

/* Adds `count` bodies after the existing ones, with the ids in id[]. If `id` is NULL, the ids are numbers above all
 * existing ids. If there is a column "softening", the new bodies get the softening of body 0. Other columns get 0. */
NBT_API int nbt_add(struct nbt_system *s, uint64_t count, const double *mass, const double *pos, const double *vel,
                    const uint64_t *id);
/* Removes the bodies with these ids. Ids are in the column "id", by default 0, 1, 2 ... */
NBT_API int nbt_remove(struct nbt_system *s, uint64_t count, const uint64_t *id);

#ifdef __cplusplus
}
#endif
#endif
