/* checkpoint_file.h - the two files with the checkpoints of a run, NAME.0 and NAME.1, written in turn.
 *
 * Each file begins with a head of 64 bytes: the line "nbsim checkpoint 4", then the number of the checkpoint, the size
 * of the file, and a checksum. The checksum is the XXH3 of the number, the size and all bytes after the head. Number,
 * size and checksum are u64 in the byte order of the machine. While one file is written, the other file contains the
 * newest complete checkpoint. So there is always a complete checkpoint. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_slots {
    char *name[2];
    int fd[2];    /* descriptors of the two files, locked while open; -1: there is no file */
    bool made[2]; /* created by this program */
    /* the files contain checkpoints of an earlier run. They are kept until this run has written its first checkpoint */
    bool of_another;
};

/* A checkpoint is written from several pieces. Each piece is contiguous in memory. */
struct sim_piece {
    const void *data;
    size_t size_bytes;
};

/* Checks both names, NAME.0 and NAME.1. Dies if one of them is the output or an input of the run. Dies if one of the
 * files exists, unless `overwrite` is true and the file is empty or a checkpoint. Creates nothing. */
void sim_slots_check(const char *name, bool overwrite);
/* Opens and locks both files, and creates missing ones. Dies if another run has locked them, or if sim_slots_check
 * would die. Checkpoints of an earlier run stay in the files until this run has written its first checkpoint. Returns
 * the number N of the newest checkpoint in the files, or 0 if there is none. The first new checkpoint must have the
 * number N + 1, so that it does not overwrite checkpoint N. Files created here are removed if they are still empty when
 * the program ends. */
uint64_t sim_slots_create(struct sim_slots *s, const char *name, bool overwrite);
/* Opens and locks the files that exist. Dies if neither exists. */
void sim_slots_find(struct sim_slots *s, const char *name);
/* Creates the other file if sim_slots_find found only one of the two. */
void sim_slots_complete(struct sim_slots *s);
/* Writes checkpoint `number` into NAME.0 if the number is even, otherwise into NAME.1, and syncs the file. Returns -1
 * after nb_fail. The other file then still has the previous checkpoint. */
int sim_slots_write(struct sim_slots *s, uint64_t number, const struct sim_piece *pieces, int count);
#define SIM_SLOT_HEAD 64

/* Returns the newest complete checkpoint with its head; the contents begin at byte SIM_SLOT_HEAD. The caller frees the
 * checkpoint. Sets *size_bytes and *number to the checkpoint's size and number. Warns if the checkpoint in the other
 * file is damaged. Dies if neither file has a complete checkpoint. */
void *sim_slots_read(struct sim_slots *s, size_t *size_bytes, uint64_t *number);
/* Closes both files. If `remove`, also deletes both files, because the run has ended. If `remove_made`, deletes the
 * files that this process created. */
void sim_slots_close(struct sim_slots *s, bool remove, bool remove_made);

/* ---- checkpoint_names.c ---- */

/* sim_slot_refuse_output dies if `name` is the output FILE of the run, or FILE.part, even if no such file exists yet.
 * sim_slot_refuse_input dies if `name` is an input of the run. */
void sim_slot_refuse_output(const char *name);
void sim_slot_refuse_input(const char *name);
/* Returns whether two paths lead to the same file. The file need not exist. */
bool sim_path_same(const char *a, const char *b);
/* Returns `path` as an absolute path, which the caller frees. */
char *sim_path_absolute(const char *path);
/* Returns (folder of `path`)/(last component of `name`), which the caller frees. */
char *sim_path_beside(const char *path, const char *name);
struct tool_output;
/* Returns whether an output is written as FILE.part. */
bool sim_is_part(const struct tool_output *o);
/* If the output is written as FILE.part, returns the absolute path of FILE, with symbolic links resolved. Otherwise
 * returns NULL. The caller frees the path. */
char *sim_part_file(const struct tool_output *o);
