#include "fuzz.h"
#include "workload/workload.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

static const char document[] =
    "{\"gpu\": {\"base\": \"v100\", \"sms\": 40}, \"policy\": \"baymax\", \"duration_s\": 1,"
    "\"defaults\": {\"role\": \"batch\"}, \"apps\": ["
    "{\"name\": \"q\", \"role\": \"service\", \"qos_ms\": 20, \"arrivals\": {\"process\": "
    "\"poisson\","
    "\"rate_per_s\": 100}, \"synthetic\": {\"blocks\": 80, \"threads\": 256, \"duration_ms\": "
    "{\"dist\": \"lognormal\", \"mean\": 1, \"cv\": 0.5}}}, {\"name\": \"b.c\", \"synthetic\": "
    "{\"blocks\": 80, \"threads\": 256, \"duration_ms\": 2}}]}";

/* One `--set` a line. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *assignments[MOST];
    size_t count = 0;
    char *text = malloc(size + 1);
    FUZZ_OWES(text);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    for (char *next = text; next && count < MOST;) {
        assignments[count++] = next;
        next = strchr(next, '\n');
        if (next)
            *next++ = '\0';
    }
    struct ct_diags diags = {0};
    struct workload workload;
    struct workload_source source = {
        .path = "w.json", .text = document, .assignments = assignments, .assignment_count = count};
    int status = workload_read(&source, &workload, &diags);
    fuzz_judge(status, &diags);
    workload_free(&workload);
    ct_diags_free(&diags);
    free(text);
    return 0;
}
