/*
 * A file that is written. What lay at its path stays there until the new one is whole. Until then
 * it has no name where the file system allows that (open(2), O_TMPFILE), so that whatever ends the
 * program leaves nothing behind; elsewhere a name that nobody had, PATH.PROCESS-NUMBER.part. What
 * is written to a path that ends in ".gz" is compressed (RFC 1952), without a time stamp.
 */
#ifndef OUTPUT_FILE_H
#define OUTPUT_FILE_H

#include "base/ct_diag.h"

#include <stdio.h>

struct output_file {
    FILE *file;       /* NULL: not open */
    FILE *packed;     /* where `file` is compressed into; NULL: it is not */
    const char *path; /* as the user gave it */
    char *target; /* the file that is replaced: the path, or where its link leads; NULL: the path
                     itself is written, a device */
    char *part;   /* a name beside it, for the time between */
    bool named;   /* `part` is there */
};

/* Whether what is written there is compressed. */
bool output_file_is_packed(const char *path);

/* Opens it to be written; false after an error: what was read (ct_files_note) is not overwritten.
 * `path` must stay. A zero-initialised output may be closed. */
bool output_file_open(struct output_file *output, const char *path, struct ct_diags *diags);

/* Puts the file in its place if `status` is CT_OK and every byte was written, else removes it.
 * Returns `status`, or CT_DATA after an error. */
int output_file_close(struct output_file *output, int status, struct ct_diags *diags);

/* Nothing is to be put there after all. */
void output_file_drop(struct output_file *output);

/* Whether a file could be put there, before long work: an error if not. Leaves nothing behind.
 * Devices, pipes and links to nothing are not tried. */
bool output_file_probe(const char *path, struct ct_diags *diags);

/* Waits until nobody else holds the folder, for files that belong together. What is to be released,
 * or -1: a signal came, or folders are not locked there. */
int output_folder_hold(const char *folder);
void output_folder_release(int held);

/* Takes away the parts of all files that are written, before the program ends at once. A signal
 * handler may call it. */
void output_file_remove_parts(void);

#endif
