/* checkpoint_file.h - the two files of a run's checkpoints, NAME.0 and NAME.1, written in turn.
 *
 * Each begins with a head of 64 bytes: the line "nbsim checkpoint 1", then the checkpoint's number, the file's size and
 * the XXH3 of the number, the size and all bytes behind the head (u64 each, of this machine's byte order). The file
 * that is written is never the one that holds the newest whole checkpoint, so that there is one at any moment. */
#ifndef NBSIM_CHECKPOINT_FILE_H
#define NBSIM_CHECKPOINT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_slots {
    char *name[2];
    int fd[2]; /* locked as long as they are open */
};

struct sim_piece { /* of a checkpoint's contents */
    const void *data;
    size_t size_bytes;
};

/* Opens both files and locks them: dies where another run has them, or where there is a checkpoint already, unless
 * `overwrite`, which empties them. What is still empty when the program ends is removed. */
void sim_slots_create(struct sim_slots *s, const char *name, bool overwrite);
/* The same of a checkpoint that is to be gone on from: dies where there is none. */
void sim_slots_find(struct sim_slots *s, const char *name);
/* Writes checkpoint `number` into its file, and syncs it. -1 after nb_fail: the other file has the last one. */
int sim_slots_write(struct sim_slots *s, uint64_t number, const struct sim_piece *pieces, int count);
#define SIM_SLOT_HEAD 64

/* The newest whole checkpoint, to be freed, its size and number: the contents begin at SIM_SLOT_HEAD. Warns where a
 * newer one is damaged, dies where both are. */
void *sim_slots_read(struct sim_slots *s, size_t *size_bytes, uint64_t *number);
/* Closes both, and removes them where the run has come to its end. */
void sim_slots_close(struct sim_slots *s, bool remove);

#endif
