/*
 * Slowdown by interference in each shared resource, in the manner of DASE (Hu et al., ICPP'16).
 *
 * Rebuilt from what is public about it, in HSM (ASPLOS'20) sections 1, 6 and 6.1: a white box that
 * estimates the interference within each shared resource from counters, scales it to the whole GPU,
 * and is capped at S_max / S_k by HSM's authors. Its equations are ours. Of its resources
 * (last-level cache, channels, banks, row buffers) only the memory's data bus has counters here.
 */
#ifndef HSM_DASE_H
#define HSM_DASE_H

#include "policies/hsm_model.h"

/*
 * NP = 1 / slowdown. In an epoch of length T the kernel ran with S_k of S_max SMs:
 *
 *   stalled      1 - issued / what its SMs could issue: the part of T that waits can have cost it
 *   interference min(stalled, bus time of the others' requests / T)
 *   here         1 / (1 - interference): slowdown against the same SMs alone
 *   there        with all SMs it would run S_max / S_k times as fast, but draw no more than the
 *                theoretical bandwidth, and be no slower than on its own SMs
 *   slowdown     here x there, at most S_max / S_k
 *
 * NAN: unknown, without instructions or SMs.
 */
double hsm_dase_progress(const struct hsm_device *device, const struct hsm_measure *measure);

#endif
