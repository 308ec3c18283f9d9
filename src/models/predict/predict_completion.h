/*
 * When a kernel of a shared GPU will have ended: the completion model of C-QoS (IEEE Access 2020,
 * section VI-A, Eq. 3, 4 and 7), which extends Prophet's by scheduling periods. Who preempts whom
 * and what overlaps, Eq. 2, 5 and 6, only the policy knows: policies/cqos_value.c. Pure functions;
 * times in picoseconds.
 *
 * Two symbols cannot mean what the text says: t_sk is the time of one wave of blocks (as the time
 * of the whole kernel it would be counted once per wave), and R_bw in Eq. 4 is the bandwidth of the
 * device's memory (a kernel's running time does not depend on PCIe). The inner min{1, ceil()} of
 * Eq. 4 is always 1 and left out.
 */
#ifndef PREDICT_COMPLETION_H
#define PREDICT_COMPLETION_H

#include "base/ct_types.h"

/* Before a task runs: t_s, its submission; t_q, behind others in its queue; t_w, at the head of the
 * queue. */
struct completion_wait {
    double submit_ps, queue_ps, head_ps;
};

/* A kernel in one scheduling period. */
struct completion_period {
    double blocks;           /* TB: blocks at the head of the queue */
    double blocks_per_sm;    /* R_tb x occ */
    double sms;              /* |S|: those that it holds */
    double bandwidth_per_sm; /* bw: bytes per second that it asks of memory per SM held; 0:
                                unknown */
    double dram_bytes_per_s; /* R_bw */
};

/* Waves that the blocks of a period take, at least 1; INFINITY without an SM. */
double completion_waves(const struct completion_period *period);

/* t_sk: of one wave, from the time alone on the SMs of `solo`. */
double completion_wave_ps(double solo_ps, const struct completion_period *solo);

/* Eq. 4: t_r, running, summed over the periods. */
double completion_running_ps(double wave_ps, const struct completion_period *periods, size_t count);

/* Eq. 3: t_exc, a kernel from its submission to its end. */
double completion_execution_ps(const struct completion_wait *wait, double running_ps);

/* Eq. 7: t_cpy, a copy that has one bandwidth throughout. */
double completion_copy_ps(const struct completion_wait *wait, double bytes, double bytes_per_s);

#endif
