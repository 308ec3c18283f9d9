/* What a page carries in which runs can be made again: the program as WebAssembly, and recordings.
 */
#ifndef HTML_LIVE_H
#define HTML_LIVE_H

#include "base/ct_arena.h"
#include "figures/html_page.h"

/* Most that the recordings of a page may take in all: what can be mailed. Chosen. */
enum { HTML_LIVE_MOST_MB = 16 };

/*
 * Finds the program (share folder, "lessons"), opens the workload of each run of the stores as it
 * was given, and reads the recordings that this asked for. All of `live` is in the arena. CT_DATA
 * when the program is not installed, a run keeps not what made it, an input has changed, two
 * recordings have one name, or together they are larger than HTML_LIVE_MOST_MB.
 */
int html_live_read(const struct html_source *sources, size_t count, struct html_live *live,
                   struct ct_arena *arena, struct ct_diags *diags);

#endif
