/* Why a file could not be made. */
#ifndef FILE_REASON_H
#define FILE_REASON_H

/*
 * A better errno than `reason`, with which SQLite failed to make the file at `path`: it tries once
 * more without making it, and then knows only that it is not there (ENOENT).
 */
int file_reason(const char *path, int reason);

#endif
