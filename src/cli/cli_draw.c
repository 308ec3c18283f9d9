/* gnuplot, run on data and scripts that lie in a folder. */
#include "cli/cli_results.h"

#include "figures/figure.h"
#include "format/output_file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const cli_pictures[] = {"svg", "png", "both", NULL};

/* Exit code for a program that is not found, as the shell has it. */
enum { NOT_FOUND = 127 };

/* In the child: gnuplot in the folder, without the terminal to read from, its picture going to a
 * file. */
static void become_gnuplot(const char *folder, const char *name, const char *format, int picture) {
    char script[FIGURE_NAME_SIZE + 8];
    snprintf(script, sizeof script, "%s.gp", name);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (!freopen("/dev/null", "r", stdin) || chdir(folder) != 0 || dup2(picture, STDOUT_FILENO) < 0)
        _exit(1);
    setenv("LC_ALL", "C.UTF-8", 1); /* the scripts are in it; elsewhere gnuplot warns of each */
    execlp("gnuplot", "gnuplot", "-d", "-c", script, format, "-", (char *)NULL);
    _exit(errno == ENOENT ? NOT_FOUND : 1);
}

/* Draws one figure in one form; the exit code of gnuplot, NOT_FOUND without it. */
static int draw(const char *folder, const char *name, const char *format, FILE *picture) {
    int state = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(folder, name, format, fileno(picture));
    if (child < 0)
        return 1;
    while (waitpid(child, &state, 0) < 0) {
        if (errno != EINTR)
            return 1;
        if (cli_interrupted())
            kill(child, SIGTERM);
    }
    return WIFEXITED(state) ? WEXITSTATUS(state) : 1;
}

/* gnuplot says nothing of a full disk. */
static bool is_whole(FILE *drawn, enum cli_picture form) {
    const char *end = form == CLI_SVG ? "</svg>" : "IEND";
    char path[40], tail[16] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(drawn));
    FILE *picture = fopen(path, "rb");
    bool whole = false;
    if (picture && fseek(picture, 1 - (long)sizeof tail, SEEK_END) == 0) {
        size_t got = fread(tail, 1, sizeof tail - 1, picture);
        for (size_t i = 0; i < got; i++)
            whole |= strncmp(tail + i, end, strlen(end)) == 0;
    }
    if (picture)
        fclose(picture);
    return whole;
}

static int draw_figure(const char *folder, const char *name, enum cli_picture form,
                       struct ct_diags *diags) {
    char path[FIGURE_PATH_SIZE];
    struct output_file picture;
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, cli_pictures[form]);
    if (!output_file_open(&picture, path, diags))
        return CT_DATA;
    int code = draw(folder, name, cli_pictures[form], picture.file);
    bool whole = code == 0 && is_whole(picture.file, form);
    if (cli_interrupted())
        return output_file_close(&picture, CT_INTERRUPTED, diags);
    if (code == NOT_FOUND)
        ct_error(diags, folder,
                 "gnuplot is not installed (Debian: gnuplot-nox); data and scripts are written, "
                 "'gnuplot -c NAME.gp' draws them");
    else if (code)
        ct_error(diags, folder, "gnuplot failed on '%s.gp'", name);
    else if (!whole)
        ct_error(diags, folder, "gnuplot wrote '%s.%s' in part only; is the disk full?", name,
                 cli_pictures[form]);
    return output_file_close(&picture, whole ? CT_OK : CT_DATA, diags);
}

int cli_draw_figures(const struct report_plots *plots, const char *folder, enum cli_picture picture,
                     struct ct_diags *diags) {
    int status = CT_OK;
    for (size_t i = 0; i < plots->names.count && status == CT_OK; i++)
        for (int f = CLI_SVG; f <= CLI_PNG && status == CT_OK; f++)
            if (picture == CLI_SVG_AND_PNG || (int)picture == f)
                status = cli_interrupted() ? CT_INTERRUPTED
                                           : draw_figure(folder, plots->names.items[i],
                                                         (enum cli_picture)f, diags);
    return status;
}
