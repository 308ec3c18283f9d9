/*
 * One recording of the process that the library lives in: buffers, the thread that empties them,
 * the program's end. Nothing of CUPTI: records come through a source.
 */
#ifndef CAPTURE_SESSION_H
#define CAPTURE_SESSION_H

#include "capture/capture_recording.h"

#define CAPTURE_BUFFER_BYTES ((size_t)1 << 20)

/* Where records come from. Its functions may be called from any thread. */
struct capture_source {
    /* Hands out what it still has, through capture_session_full: `all`, or only what waits for no
     * record that is still under way, which would be lost. */
    void (*flush)(bool all);
    /* The records of a full buffer. */
    void (*read)(struct capture_recording *recording, uint8_t *buffer, size_t bytes);
    /* Records that it had no room for since the last time. */
    uint64_t (*lost)(void);
    char recorder[40]; /* what it is, with its version */
};

struct capture_settings {
    char out[4000]; /* file name from the root, complete but for the number that keeps an existing
                       file */
    char app[256], gpu[64], jobs[300];
    uint64_t most_records, buffer_bytes;
    double save_s; /* a store every so often; 0: at the end only */
    bool quiet;
};

/* Starts the writer and arranges for the end. The one session of the process. False, with a message
 * on standard error, when it cannot. */
bool capture_session_start(const struct capture_settings *settings,
                           const struct capture_source *source);

/* The source failed after all: nothing will be written. */
void capture_session_abandon(void);

/* An empty buffer of CAPTURE_BUFFER_BYTES, or NULL when all are in use. */
uint8_t *capture_session_buffer(void);

/* A buffer comes back with this many bytes of records. */
void capture_session_full(uint8_t *buffer, size_t bytes);

/* A line on standard error: "cotenant capture: ...". */
void capture_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
