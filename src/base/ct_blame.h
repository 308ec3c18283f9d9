/*
 * Where the time of a job goes: the one list of its parts, from which the device's losses, a run's
 * blame, reports, the store, sentences and pages take theirs. A new resource that applications
 * contend for is a row of CT_BLAME_ON_DEVICE (CONTRIBUTING.md, "Where to put").
 */
#ifndef CT_BLAME_H
#define CT_BLAME_H

/*
 * A row: name, key in files, the part in words ("..., fewer SMs than alone 4 ms"), what time was
 * lost by ("lost 4 ms, mainly ..."), and on what it was spent ("spent the largest part of the time
 * ..."). The order is that of reports.
 */

/* What a task loses while it is on the device, in the order in which its loss is split. */
/* clang-format off */
#define CT_BLAME_ON_DEVICE(X)                                                                      \
    X(SM_SHARE, "sm_share", "fewer SMs than alone",                                                \
      "running on fewer SMs than alone", "running on fewer SMs than alone")                        \
    /* bandwidth, and its contention term k P */                                                   \
    X(DRAM, "dram", "memory bandwidth taken by others",                                            \
      "for want of memory bandwidth", "waiting for memory bandwidth that others used")             \
    /* others' row misses */                                                                       \
    X(ROW_BUFFER, "row_buffer", "row-buffer hits lost to others",                                  \
      "by row-buffer misses", "on row-buffer misses that others caused")                           \
    /* shared functional units, k0 */                                                              \
    X(SM_CONTENTION, "sm_contention", "contention inside the SMs",                                 \
      "by contention inside the SMs", "on contention inside the SMs")                              \
    X(PCIE_WAIT, "pcie_wait", "waiting for PCIe", "waiting for PCIe", "waiting for PCIe")          \
    X(PCIE_SHARE, "pcie_share", "PCIe shared with others", "sharing PCIe", "sharing PCIe")         \
    /* frozen while another application had its time slice */                                      \
    X(PREEMPTION, "preemption", "preemption", "to preemption", "on preemption")

#define CT_BLAME_ALL(X)                                                                            \
    X(SOLO_WORK, "solo_work", "its own work",                                                      \
      "its own work", "on its own work: a long job, not a disturbed one")                          \
    X(HOST, "host", "gaps of its host",                                                            \
      "in gaps of its host", "in gaps of its host, which no policy can change")                    \
    X(HOST_CORES, "host_cores", "waiting for a core of its host",                                  \
      "waiting for a core of its host", "waiting for a core of its host")                          \
    X(OWN_QUEUE, "own_queue", "waiting for earlier queries of its own",                            \
      "waiting for earlier queries of its own",                                                    \
      "waiting for earlier queries of its own: they are the cause")                                \
    X(READY_POOL, "ready_pool", "held back by the policy",                                         \
      "held back by the policy", "held back by the policy")                                        \
    X(DEVICE_QUEUE, "device_queue", "waiting in the device's queue",                               \
      "waiting in the device's queue",                                                             \
      "in the queue of the device, behind kernels issued before")                                  \
    CT_BLAME_ON_DEVICE(X)                                                                          \
    X(DECISION, "decision", "the time that decisions take",                                        \
      "to the time that decisions take", "on the cost of decisions")                               \
    X(STAGES, "stages", "earlier stages of its pipeline",                                          \
      "in earlier stages of its pipeline", "in earlier stages of its pipeline")                    \
    X(BATCHER, "batcher", "waiting in its server for a batch",                                     \
      "waiting in its server for a batch", "in the queue of its server")

#define CT_BLAME_ENUMERATOR(name, ...) CT_BLAME_##name,
enum ct_blame { CT_BLAME_ALL(CT_BLAME_ENUMERATOR) CT_BLAME_COUNT };
/* clang-format on */

/* How files and sentences name a part. */
struct ct_blame_words {
    const char *key, *part, *lost, *spent;
};
extern const struct ct_blame_words ct_blame_words[CT_BLAME_COUNT];

/* The key of a part in JSON, CSV and the store: "solo_work". */
static inline const char *ct_blame_key(int part) {
    return ct_blame_words[part].key;
}

/* The part with this key; -1: there is none. */
int ct_blame_find(const char *key);

#endif
