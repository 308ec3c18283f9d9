/*
 * The timing sets, with a source for every number. What is given in nanoseconds is rounded up to
 * the command clock. "assumed" marks what nobody published for the part.
 */
#include "models/device/dram_timing.h"

/*
 * HSM (ASPLOS 2020) Table 1: four stacks of eight channels at 440 MHz with 16 banks, 900 GB/s; that
 * is 64 B per cycle and channel, so that its 128 B line takes two data cycles. Bank groups of
 * four banks: JESD235. tRCD for writes as for reads. Not in the table: tWR 8, tRFC 115, tREFI 1716;
 * two idle data cycles from read to write (JESD235's tRTW = CL + BL/2 + 2 - WL).
 */
#define HSM_HBM_CYCLES                                                                             \
    .rcd_read = 7, .rcd_write = 7, .rp = 7, .ras = 17, .rc = 24, .rrd_same = 5, .rrd_other = 4,    \
    .faw = 20, .cl = 7, .wl = 2, .ccd_same = 1, .ccd_other = 1, .wtr_same = 4, .wtr_other = 2,     \
    .rtp = 7, .wr = 8, .turn = 2, .rfc = 115, .refi = 1716

/*
 * HSM Table 1: 11 controllers, 16 banks, 2750 MHz, 484 GB/s, hence 16 B per cycle; "Hynix GDDR5"
 * (H5GQ1H24AFR) with 12-12-12 for CL-tRCD-tRP. Read as nanoseconds, as in that data sheet (assumed:
 * 12 cycles of 2750 MHz would be 4.4 ns, three times faster than any DRAM array), so 33 cycles. The
 * data sheet's other numbers as collected in gem5's and GPGPU-Sim's GDDR5 sets: tRAS 28 ns, tRC 40
 * ns, tRRD 5.5 ns, tFAW 23 ns, tWTR 5 ns, tWR 12 ns, tRFC 65 ns, write latency 4 ns, tCCD 2 and 3,
 * tRTP 2 cycles. tREFI 3.9 us: 8192 rows in 32 ms. Turnaround 2 cycles: gem5.
 */
#define HSM_GDDR5_CYCLES                                                                           \
    .rcd_read = 33, .rcd_write = 33, .rp = 33, .ras = 77, .rc = 110, .rrd_same = 16,               \
    .rrd_other = 16, .faw = 64, .cl = 33, .wl = 11, .ccd_same = 3, .ccd_other = 2, .wtr_same = 14, \
    .wtr_other = 14, .rtp = 2, .wr = 33, .turn = 2, .rfc = 179, .refi = 10742

/*
 * V100: four stacks of eight channels, each two pseudo channels of 64 bits (JESD235B), 877 MHz
 * (the driver's memory clock), double data rate: 16 B per cycle, 898 GB/s. A burst of four is 32 B.
 * Nanoseconds of gem5's HBM2 set ("HBM gen2 specifications"): tRCD 12 / 6, tRP 14, tRAS 28, tCL 18,
 * tWL 7, tCCDL 3, tRRD 4 / 6, tFAW 16, tWTR 4 / 9, tWR 14, tRTP 5; tCCDS is the burst. tRFC 260 ns
 * for 4 Gb channels and tREFI 3.9 us: JESD235. Turnaround 2 cycles: JESD235.
 */
#define HBM2_CYCLES                                                                                \
    .rcd_read = 11, .rcd_write = 6, .rp = 13, .ras = 25, .rc = 38, .rrd_same = 6, .rrd_other = 4,  \
    .faw = 15, .cl = 16, .wl = 7, .ccd_same = 3, .ccd_other = 2, .wtr_same = 8, .wtr_other = 4,    \
    .rtp = 5, .wr = 13, .turn = 2, .rfc = 229, .refi = 3420

/*
 * H100: five stacks of 16 channels, each two pseudo channels of 32 bits (JESD238), 2619 MHz (the
 * driver's memory clock) with two transfers, four per command clock of 1309.5 MHz: 16 B per cycle,
 * 3352 GB/s. A burst of eight is 32 B. 32 banks in two stack ids of four groups of four; the model
 * treats a group of another stack id as another group (assumed). JESD238 leaves the array timings
 * to vendors, who do not publish them: all of these are assumed, the nanoseconds of Ramulator 2.1's
 * HBM3 set, which calls them guesses: tRCD 19.4 / 9.4, tRP 16.3, tRAS 28.1, tCL 12.5, tWL 6.3, tRRD
 * 2.5 / 3.1, tFAW 15, tWTR 4.4 / 6.3, tWR 20.6, tRTP 5.6. tCCD 2 / 4, turnaround 2, tRFC 350 ns and
 * tREFI 3.9 us as there.
 */
#define HBM3_CYCLES                                                                                \
    .rcd_read = 26, .rcd_write = 13, .rp = 22, .ras = 37, .rc = 59, .rrd_same = 5, .rrd_other = 4, \
    .faw = 20, .cl = 17, .wl = 9, .ccd_same = 4, .ccd_other = 2, .wtr_same = 9, .wtr_other = 6,    \
    .rtp = 8, .wr = 27, .turn = 2, .rfc = 459, .refi = 5107

/*
 * GTX 1080 Ti: eleven devices of 32 bits at 11 Gb/s (MT58K256M32), eight transfers per command
 * clock of 1375 MHz: 32 B per cycle, 484 GB/s. A burst of 16 is 64 B in two cycles; 16 banks in
 * four groups, tCCDL 3: the device's data sheet. Row timings are not in its public part (assumed):
 * nanoseconds of DRAMsim3's GDDR5X set: CL 16, tRCD 16 / 13.3, tRP 16, tRAS 37.3, tRRD 6.7, tFAW
 * 26.7, tWTR 6.7, tWR 16, tRFC 49.3; WL 7 and tRTP 2 cycles. tREFI: 16384 rows in 32 ms, 1953 ns
 * (that set has 3800 cycles, as if its clock were 2 GHz). Turnaround 2 cycles: assumed.
 */
#define GDDR5X_CYCLES                                                                              \
    .rcd_read = 22, .rcd_write = 19, .rp = 22, .ras = 52, .rc = 74, .rrd_same = 10,                \
    .rrd_other = 10, .faw = 37, .cl = 22, .wl = 7, .ccd_same = 3, .ccd_other = 2, .wtr_same = 10,  \
    .wtr_other = 10, .rtp = 2, .wr = 22, .turn = 2, .rfc = 68, .refi = 2686

/*
 * RTX 2080 Ti: eleven devices of two channels of 16 bits at 14 Gb/s (MT61K256M32), eight transfers
 * per command clock of 1750 MHz: 16 B per cycle, 616 GB/s. A burst of 16 is 32 B in two cycles; 16
 * banks in four groups, tCCDL 3, 16384 rows in 32 ms: the device's data sheet. Row timings are not
 * in its public part (assumed): cycles of Ramulator 2's 1.35 V GDDR6 set at the same clock. Its
 * tCCDS of 4 is not taken: it would leave half of the pins idle. Turnaround 4 cycles: the same.
 */
#define GDDR6_CYCLES                                                                               \
    .rcd_read = 26, .rcd_write = 16, .rp = 26, .ras = 53, .rc = 79, .rrd_same = 7, .rrd_other = 7, \
    .faw = 28, .cl = 24, .wl = 6, .ccd_same = 3, .ccd_other = 2, .wtr_same = 11, .wtr_other = 9,   \
    .rtp = 4, .wr = 26, .turn = 4, .rfc = 210, .refi = 3418

/* Streams: in one group a device with tCCDL above tCCDS leaves data cycles idle, so that those
 * presets walk through as many rows at once as they have groups (assumed). */
const struct dram_preset dram_presets[] = {
    {"hsm-hbm", "HBM of HSM's simulated GPU", 440.0, 32, 16, 4, 64, 128, 1, 1, true,
     .cycles = {HSM_HBM_CYCLES}},
    {"hsm-gddr5", "GDDR5 of HSM's simulated GPU", 2750.0, 11, 16, 4, 16, 128, 4, 4, false,
     .cycles = {HSM_GDDR5_CYCLES}},
    {"hbm2", "HBM2 of a V100", 877.0, 64, 16, 4, 16, 32, 1, 4, true, {HBM2_CYCLES}},
    {"hbm3", "HBM3 of an H100", 1309.5, 160, 32, 8, 16, 32, 1, 4, true, {HBM3_CYCLES}},
    {"gddr5x", "GDDR5X of a GTX 1080 Ti", 1375.0, 11, 16, 4, 32, 64, 1, 4, false, {GDDR5X_CYCLES}},
    {"gddr6", "GDDR6 of an RTX 2080 Ti", 1750.0, 22, 16, 4, 16, 32, 1, 4, false, {GDDR6_CYCLES}},
    {.name = NULL}};
