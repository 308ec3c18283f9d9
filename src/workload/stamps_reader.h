/* Recorded arrivals: one column of a CSV file (plain or gzip) as times from the first one. */
#ifndef STAMPS_READER_H
#define STAMPS_READER_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"

/*
 * Reads `column` by its header name: seconds ("12.25", also since 1970) or ISO 8601 ("2023-11-16
 * 18:17:03.9799600", "T" between, "Z" or "+01:00" behind), one kind per file, parsed exactly to the
 * picosecond.
 *
 * On success `stamps` (in the arena) holds `count` >= 1 rising times, the first 0, and `span_ps` is
 * the last. Unsorted input is sorted, with a notice. enum ct_status: CT_DATA, with errors recorded
 * at file and line, for an absent column (with the closest name), a cell that is no time, no rows,
 * or a span beyond the range of ct_time_ps.
 */
int stamps_read(const char *path, const char *column, struct ct_arena *arena,
                const ct_time_ps **stamps, size_t *count, ct_time_ps *span_ps,
                struct ct_diags *diags);

/*
 * As stamps_read, with whole numbers from 1 to a million beside each stamp: `columns` names where
 * (NULL: none), `numbers` gets them in the order of the stamps. CT_DATA for other cells, too.
 */
enum { STAMPS_NUMBERS = 2 };
int stamps_read_numbers(const char *path, const char *column,
                        const char *const columns[STAMPS_NUMBERS], struct ct_arena *arena,
                        const ct_time_ps **stamps, const int64_t *numbers[STAMPS_NUMBERS],
                        size_t *count, ct_time_ps *span_ps, struct ct_diags *diags);

/*
 * Reads when requests came to an inference server, by what the file looks like: the JSON to which
 * Triton traces requests (its stamps REQUEST_START, of requests that are no part of another one),
 * or a log of vLLM with its lines "Received request" (whole seconds, without the year). What comes
 * of it is as of stamps_read_numbers: of such a log `columns` are named "prompt_tokens", where
 * every line has its prompt's ids, and "max_tokens", the most that a request asks for; NULL where
 * one has not got it.
 */
int stamps_read_server(const char *path, struct ct_arena *arena, const ct_time_ps **stamps,
                       const char *columns[STAMPS_NUMBERS], const int64_t *numbers[STAMPS_NUMBERS],
                       size_t *count, ct_time_ps *span_ps, struct ct_diags *diags);

#endif
