/* checkpoint_file.h - the two files of a run's checkpoints, NAME.0 and NAME.1, written in turn.
 *
 * Each begins with a head of 64 bytes: the line "nbsim checkpoint 2", then the checkpoint's number, the file's size and
 * the XXH3 of the number, the size and all bytes behind the head (u64 each, of this machine's byte order). The file
 * that is written is never the one that holds the newest whole checkpoint, so that there is one at any moment. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_slots {
    char *name[2];
    int fd[2];       /* locked as long as they are open; -1: there is none */
    bool made[2];    /* by this program */
    bool of_another; /* a run before left checkpoints, which last until this one has its first */
};

struct sim_piece { /* of a checkpoint's contents */
    const void *data;
    size_t size_bytes;
};

/* Dies where the files are the run's output or input, or exist: other than checkpoints always, and without `overwrite`
 * these too. Makes nothing. */
void sim_slots_check(const char *name, bool overwrite);
/* Opens both files and locks them: dies where another run has them, and as above. What they hold stays until the first
 * checkpoint is whole, whose number is to be the one that is returned and 1. Those made and still empty when the
 * program ends are removed. */
uint64_t sim_slots_create(struct sim_slots *s, const char *name, bool overwrite);
/* Opens those of a checkpoint that is to be gone on from: dies where there is none. */
void sim_slots_find(struct sim_slots *s, const char *name);
/* Makes the one that was not found. */
void sim_slots_complete(struct sim_slots *s);
/* Writes checkpoint `number` into its file, and syncs it. -1 after nb_fail: the other file has the last one. */
int sim_slots_write(struct sim_slots *s, uint64_t number, const struct sim_piece *pieces, int count);
#define SIM_SLOT_HEAD 64

/* The newest whole checkpoint, to be freed, its size and number: the contents begin at SIM_SLOT_HEAD. Warns where a
 * newer one is damaged, dies where both are. */
void *sim_slots_read(struct sim_slots *s, size_t *size_bytes, uint64_t *number);
/* Closes both; removes them where the run has come to its end, or those that this program has made. */
void sim_slots_close(struct sim_slots *s, bool remove, bool remove_made);

/* ---- checkpoint_names.c ---- */

/* Die where the file is, or will be, the run's output or FILE.part; or is its input. */
void sim_slot_refuse_output(const char *name);
void sim_slot_refuse_input(const char *name);
/* Do two paths lead to one file, which need not be there? */
bool sim_path_same(const char *a, const char *b);
/* To be freed: the path from the root; the last part of `name` in the folder of `path`. */
char *sim_path_absolute(const char *path);
char *sim_path_beside(const char *path, const char *name);
/* Returns whether an output is written as FILE.part, and FILE as an absolute path behind links, to be freed; NULL if
 * the output is written in place. */
struct tool_output;
bool sim_is_part(const struct tool_output *o);
char *sim_part_file(const struct tool_output *o);
