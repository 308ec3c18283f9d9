/* What the stand-in for CUPTI offers to the program that plays CUDA. */
#ifndef FAKE_CUPTI_H
#define FAKE_CUPTI_H

#include <stddef.h>
#include <stdint.h>

/* Numbers of the calls that the stand-in knows. */
enum { FAKE_LAUNCH = 1, FAKE_COPY, FAKE_SYNCHRONIZE, FAKE_GET_DEVICE, FAKE_CALLS };

/* One record, copied into the buffer in hand; dropped where its kind or call is not asked for. */
typedef void fake_emit_function(const void *record, size_t size);

/* Takes buffers and keeps them; how many it got before there were none. */
typedef int fake_hoard_function(void);

/* One record that has begun, and later the same one whole: between the two only a forced flush
 * hands it out, as it is. */
typedef void fake_begin_function(const void *record, size_t size);
typedef void fake_complete_function(const void *record, size_t size);

/* A context is about to go, and with it what it has not handed out. */
typedef void fake_end_context_function(void);

#endif
