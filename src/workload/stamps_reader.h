/* Recorded arrivals: one column of a CSV file (plain or gzip) as times from the first one. */
#ifndef STAMPS_READER_H
#define STAMPS_READER_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"

enum { STAMPS_NUMBERS = 2 };

/* Arrivals, and numbers that stand beside them. Arrays lie in the arena. */
struct stamps {
    const ct_time_ps *times;             /* rising, the first 0 */
    size_t count;                        /* >= 1; 0 after an error */
    ct_time_ps span_ps;                  /* the last */
    const char *columns[STAMPS_NUMBERS]; /* names of the numbers; NULL: none */
    const int64_t *numbers[STAMPS_NUMBERS];
};

/*
 * Reads `column` by its header name: seconds ("12.25", also since 1970) or ISO 8601 ("2023-11-16
 * 18:17:03.9799600", "T" between, "Z" or "+01:00" behind), one kind per file, parsed exactly to the
 * picosecond. Beside each stamp stand whole numbers from 1 to a million in the columns that
 * `stamps` names.
 *
 * Unsorted input is sorted, with a notice. enum ct_status: CT_DATA, with errors recorded at file
 * and line, for an absent column (with the closest name), a cell that is no time or no such number,
 * no rows, or a span beyond the range of ct_time_ps.
 */
int stamps_read(const char *path, const char *column, struct stamps *stamps, struct ct_arena *arena,
                struct ct_diags *diags);

/*
 * Reads when requests came to an inference server, by what the file looks like: the JSON to which
 * Triton traces requests (its stamps REQUEST_START, of requests that are no part of another one),
 * or a log of vLLM with its lines "Received request" (whole seconds, without the year). Of such a
 * log the numbers are "prompt_tokens", where every line has its prompt's ids, and "max_tokens", the
 * most that a request asks for; where one has not got it there are none. enum ct_status.
 */
int stamps_read_server(const char *path, struct stamps *stamps, struct ct_arena *arena,
                       struct ct_diags *diags);

#endif
