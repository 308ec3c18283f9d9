/* Normalised progress by a trained network: which file, whether it is of this GPU, and what it is
 * asked. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "models/predict/predict_themis.h"
#include "workload/setup.h"

struct ct_counters;

/*
 * Reads the network that belongs to the workload's GPU and fidelity: the file that the GPU key
 * `themis` names, else the one that ships for the preset. CT_USAGE where there is none, where it is
 * no such file, or where it was trained for another fidelity, or another GPU than the key
 * `themis_gpu` allows.
 */
int progress_open(const struct setup *setup, struct themis_network *network,
                  struct ct_diags *diags);

/* An epoch of an application that held these SMs, from its counters and those of all others
 * together, as the network takes it. */
struct themis_events progress_events(const struct gpu *gpu, const struct ct_counters *own,
                                     const struct ct_counters *others, int64_t sms);

#endif
