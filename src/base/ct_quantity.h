/* Numbers with a unit behind them, as people type them: "30ms", "2 s", "40%", "10GB". */
#ifndef CT_QUANTITY_H
#define CT_QUANTITY_H

#include "base/ct_types.h"

/*
 * Reads a number, without a unit in `unit` (that of an option; "": a plain number), with one
 * converted into it. Per cent of a plain number are hundredths. False: it is no number, or its unit
 * measures something else.
 */
bool ct_quantity_read(const char *text, const char *unit, double *number);

/* Reads a whole number, which must be one in `unit` too. */
bool ct_quantity_read_whole(const char *text, const char *unit, int64_t *number);

/* A number of the unit `from` becomes one of the unit `to`. False: they measure different things.
 */
bool ct_quantity_convert(double *number, const char *from, const char *to);

/* Whether a text is a number with something behind it that would be its unit. */
bool ct_quantity_has_unit(const char *text);

/* The names of the units that a value in `unit` may have, for a pattern: "ns|us|ms|s|min|h"; ""
 * where nothing is converted into it. `size` bytes at most. */
void ct_quantity_names(const char *unit, char *text, size_t size);

#endif
