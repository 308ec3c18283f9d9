/* Ctrl-C, and its like. */
#include "cli/cli.h"
#include "cli/cli_isolate.h"
#include "format/output_file.h"
#include "format/sqlite_file.h"

#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/* A signal handler has no context: the only variables of the program that are not passed around.
 * Every thread reads them. */
static atomic_bool interrupted, asked;
static atomic_bool *heard_by_watcher;
_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a signal handler may not wait");

/* The store that is made, and the folder. With something in it neither goes any more. */
static struct made {
    atomic_bool set;
    char path[PATH_MAX];
} store, folder;

static void note(struct made *made, const char *path, bool missing) {
    made->set = false;
    int length = snprintf(made->path, sizeof made->path, "%s", path);
    made->set = missing && length < (int)sizeof made->path;
}

void cli_makes_store(const char *path) {
    note(&store, path, access(path, F_OK) != 0);
}

void cli_made_folder(const char *path) {
    note(&folder, path, true);
}

void cli_remove_empty(void) {
    if (store.set)
        sqlite_file_remove_empty(store.path);
    if (folder.set)
        rmdir(folder.path);
}

/* A terminal that is closed may say so twice: once itself, once through the shell. */
static void on_signal(int number) {
    if (heard_by_watcher)
        *heard_by_watcher = true;
    if (interrupted && number == SIGHUP)
        return;
    if (asked && !atomic_exchange(&interrupted, true))
        return;
    output_file_remove_parts();
    cli_remove_empty();
    _exit(CT_INTERRUPTED);
}

void cli_interrupt_tell(atomic_bool *heard) {
    heard_by_watcher = heard;
}

void cli_interrupt_signals(sigset_t *signals) {
    struct sigaction hangup;
    sigemptyset(signals);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGTERM);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        sigaddset(signals, SIGHUP);
}

void cli_catch_interrupt(void) {
    static const int numbers[] = {SIGHUP, SIGTERM, SIGINT};
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t signals;
    cli_interrupt_signals(&signals);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigismember(&signals, numbers[i]) == 1)
            sigaction(numbers[i], &action, NULL);
}

#ifdef COTENANT_HOLDS
#include <fcntl.h>
#include <stdlib.h>

void cli_hold(const char *place) {
    static atomic_flag held = ATOMIC_FLAG_INIT;
    const char *fifo = getenv(place);
    char byte;
    if (!fifo || atomic_flag_test_and_set(&held))
        return;
    int file = -1;
    while (file < 0) /* a signal ends the waiting, not the being held */
        file = open(fifo, O_RDONLY | O_CLOEXEC);
    while (read(file, &byte, 1) != 0) {
    }
    close(file);
}
#endif

bool cli_interrupted(void) {
    asked = true;
    cli_hold("COTENANT_HOLD_ASKED");
    return interrupted;
}

bool cli_is_interrupted(void *context) {
    if (context)
        cli_progress_look(context);
    return cli_interrupted();
}
