/* cotenant-measure: how kernels and copies share this GPU. README.md beside it says how to use it.
 */
#include "measure.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static void print_help(void) {
    puts("cotenant-measure --out FOLDER [--repeats N] [--pairs N] [--limit SECONDS]\n"
         "cotenant-measure --dry-run [--repeats N] [--pairs N] [--limit SECONDS]\n\n"
         "Measures kernels alone and in pairs, copies, block placement and launch delays on the\n"
         "first GPU, and writes SOLO.csv, PAIRS.csv, REJECTED.csv, COPIES.csv, PLACEMENT.csv,\n"
         "LAUNCH.csv and CONDITIONS.json. 'cotenant calibrate' reads the first two.\n\n"
         "  --out FOLDER       where the tables go; it must be there\n"
         "  --repeats N        of every number, 3 to 101 (7)\n"
         "  --pairs N          at most so many pairs, spread over all (all)\n"
         "  --limit SECONDS    begin no pair later than this\n"
         "  --dry-run          say what would be measured, without a GPU");
}

static bool read_number(const char *option, double least, double most, double *number) {
    char *end;
    *number = strtod(optarg, &end);
    if (end != optarg && !*end && *number >= least && *number <= most)
        return true;
    fprintf(stderr, "'%s' of '--%s' is no number from %g to %g\n", optarg, option, least, most);
    return false;
}

static bool read_options(int argc, char **argv, struct measure_settings *settings, bool *help) {
    static const struct option options[] = {{"out", required_argument, NULL, 'o'},
                                            {"repeats", required_argument, NULL, 'r'},
                                            {"pairs", required_argument, NULL, 'p'},
                                            {"limit", required_argument, NULL, 'l'},
                                            {"dry-run", no_argument, NULL, 'n'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    double repeats = settings->repeats, pairs = 0;
    bool good = true;
    for (int key = 0; good && (key = getopt_long(argc, argv, "h", options, NULL)) != -1;)
        switch (key) {
        case 'o':
            settings->out = optarg;
            break;
        case 'r':
            good = read_number("repeats", 3, MEASURE_REPEATS_MOST, &repeats);
            break;
        case 'p':
            good = read_number("pairs", 1, 1e6, &pairs);
            break;
        case 'l':
            good = read_number("limit", 1, 1e6, &settings->limit_s);
            break;
        case 'n':
            settings->dry_run = true;
            break;
        case 'h':
            *help = true;
            break;
        default:
            good = false;
        }
    settings->repeats = (int)repeats;
    settings->pairs_most = (int)pairs;
    if (good && !*help && !settings->dry_run && !settings->out)
        fprintf(stderr, "'--out FOLDER' is needed: where the tables go\n");
    return good && (*help || settings->dry_run || settings->out);
}

int main(int argc, char **argv) {
    struct measure_settings settings = {.repeats = 7};
    bool help = false;
    if (!read_options(argc, argv, &settings, &help))
        return 2;
    if (help) {
        print_help();
        return 0;
    }
    if (settings.dry_run) {
        measure_print_plan(stdout, &settings, true);
        return 0;
    }
    struct measure_device *device = measure_device_open();
    if (!device) {
        fprintf(stderr, "no GPU can be measured: %s\n", measure_device_why());
        return 3;
    }
    bool good = measure_run(device, &settings);
    measure_device_close(device);
    return good ? 0 : 3;
}
