/* CUPTI, loaded at run time: switching records on, and what they mean. */
#ifndef CAPTURE_CUPTI_H
#define CAPTURE_CUPTI_H

#include "capture/cupti/capture_session.h"

/*
 * Loads CUPTI (`path`; NULL: where the loader finds it), starts the session and asks for records,
 * of NVTX ranges only where they are wanted. A failure is told on standard error; the program goes
 * on unrecorded.
 */
void capture_cupti_start(const char *path, bool ranges, const struct capture_settings *settings);

/* CUPTI's own entry for NVTX, to which ours hands on; NULL: there is none. */
void *capture_cupti_nvtx(void);

#endif
