/*
 * What the text exports of NVIDIA's profilers (nvprof, nsys stats, ncu) have in common: units,
 * names of copies, devices written as "title (index)", and the limits that every launch keeps.
 */
#ifndef PROFILE_TEXT_H
#define PROFILE_TEXT_H

#include "format/csv_reader.h"
#include "ingest/import_builder.h"

/* Decimals of a picosecond: 12 for s, 9 for ms, 6 for us, 3 for ns (and ncu's second, msecond ...);
 * -1: no unit. */
int profile_time_decimals(const char *unit);

/*
 * Bytes of "B", "KB", "MB", "GB" (`kilo` is 1024 in nvprof, whose 4-byte copies read 0.000004 MB,
 * and 1000 in nsys) and of "KiB" ..., ncu's "byte", "Kbyte" ...; 0: no unit.
 */
double profile_byte_factor(const char *unit, double kilo);

/* A measured part of what there is: at most 1, as sampling can print a little more. NAN stays. */
double profile_fraction(double value);

/*
 * Whether a record could have happened: a duration that is not negative; of a kernel at least one
 * block and thread, at most 1024 threads per block, 255 registers per thread and the grid limits of
 * CUDA (C Programming Guide, table of technical specifications per compute capability: the same
 * from 3.0 on). `hip`: blocks and grids may be as deep as they are wide (HIP documentation,
 * hipDeviceProp_t: maxThreadsDim, maxGridSize), and registers are not looked at. Else records an
 * error at `where`.
 */
bool profile_check_record(const struct import_record *record, bool hip, const char *where,
                          struct ct_diags *diags);

/* The blocks of a row of AMD's work-items in groups of so many; the last may be partly empty. */
uint32_t profile_blocks_of(int64_t items, int64_t group);

/* The extent of what was measured of so many launches: of one, where the text is no number of them.
 */
struct import_extent profile_extent(const char *launches);

/* An empty record: no launch, no library call, all metrics unknown. */
struct import_record profile_record(void);

#endif
