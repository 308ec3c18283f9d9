#include "workload/share_find.h"

#include "base/ct_files.h"
#include "base/ct_intern.h"
#include "base/ct_sort.h"
#include "workload/workload.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 4096, FOLDERS = 2 };

/* Names stand in files of strangers: a pipe or a device would be waited for, or read without end.
 */
static bool is_file(const struct ct_files *files, const char *path) {
    struct stat status;
    size_t size;
    if (ct_files_content(files, path, &size))
        return true;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* A formatted path in the arena if it leads to a file. */
__attribute__((format(printf, 3, 4))) static const char *
try_path(struct ct_arena *arena, const struct ct_files *files, const char *format, ...) {
    char path[LONGEST];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(path, sizeof path, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= LONGEST || !is_file(files, path))
        return NULL;
    /* Rather asked for memory twice than gone on to a file of the same name elsewhere. */
    const char *copy = ct_arena_strdup(arena, path);
    return copy ? copy : ct_arena_strdup(arena, path);
}

/* Bytes of the folder that a path starts with, the slash included. */
static int folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* Where the program stands, or the shared library that this is part of: another program's folder
 * says nothing. 0: unknown. */
static size_t own_path(char *path, size_t size) {
    static const char here;
    Dl_info library;
    bool shared = dladdr(&here, &library) && strstr(library.dli_fname, ".so") != NULL;
    if (shared)
        return (size_t)snprintf(path, size, "%s", library.dli_fname) % size;
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0 ? (size_t)length : 0;
}

/* The folders in which to look, best first; "" stands for one that there is not. */
static void share_folders(const char *folder, char paths[FOLDERS][LONGEST]) {
    const char *share = getenv("COTENANT_SHARE");
    char self[LONGEST / 2];
    size_t length = own_path(self, sizeof self);
    for (int i = 0; i < FOLDERS; i++)
        paths[i][0] = '\0';
    if (share && *share)
        snprintf(paths[0], LONGEST, "%s/%s", share, folder);
    if (length > 0)
        snprintf(paths[1], LONGEST, "%.*s../share/cotenant/%s", folder_length(self), self, folder);
}

static const char *find_in_list(struct ct_arena *arena, const struct ct_files *files,
                                const char *list, const char *name) {
    while (list && *list) {
        size_t length = strcspn(list, ":");
        const char *found =
            length ? try_path(arena, files, "%.*s/%s", (int)length, list, name) : NULL;
        if (found)
            return found;
        list += length + (list[length] == ':');
    }
    return NULL;
}

static const char *find_in_share(struct ct_arena *arena, const struct ct_files *files,
                                 const char *folder, const char *name) {
    char paths[FOLDERS][LONGEST];
    share_folders(folder, paths);
    for (int i = 0; i < FOLDERS; i++) {
        const char *found = *paths[i] ? try_path(arena, files, "%s/%s", paths[i], name) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

const char *share_find(struct ct_arena *arena, const struct ct_files *files, const char *folder,
                       const char *name, const char *beside) {
    bool traces = strcmp(folder, "traces") == 0, whole = traces || strcmp(folder, "lessons") == 0;
    const char *dot = strrchr(name, '.'), *found = NULL;
    char full[LONGEST];
    snprintf(full, sizeof full, "%s%s", name,
             whole || (dot && (strcmp(dot, ".json") == 0 || strcmp(dot, ".gp") == 0)) ? ""
                                                                                      : ".json");
    if (*full == '/')
        return try_path(arena, files, "%s", full);
    if (beside)
        found = try_path(arena, files, "%.*s%s", folder_length(beside), beside, full);
    if (!found && traces)
        found = find_in_list(arena, files, getenv("COTENANT_TRACE_PATH"), full);
    if (!found)
        found = find_in_share(arena, files, folder, full);
    if (!found && traces && beside)
        found = try_path(arena, files, "%.*s../traces/%s", folder_length(beside), beside, full);
    return found;
}

/* False: memory ran out. */
static bool list_folder(const char *path, const char *ending, struct ct_intern *names) {
    DIR *folder = *path ? opendir(path) : NULL;
    bool good = folder || !*path || errno != ENOMEM;
    for (struct dirent *entry; folder && good && (entry = readdir(folder));) {
        size_t length = strlen(entry->d_name), tail = strlen(ending);
        if (*entry->d_name != '.' && length > tail &&
            strcmp(entry->d_name + length - tail, ending) == 0)
            good = ct_intern_add(names, entry->d_name, length - tail) != UINT32_MAX;
    }
    if (folder)
        closedir(folder);
    return good;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int share_list(struct ct_arena *arena, const char *folder, const char *ending,
               const char *const **names, size_t *count) {
    char paths[FOLDERS][LONGEST];
    struct ct_intern known = {0};
    bool good = true;
    share_folders(folder, paths);
    for (int i = 0; i < FOLDERS && good; i++)
        good = list_folder(paths[i], ending, &known);
    const char **copy = good ? ct_arena_array(arena, known.items.count + 1, sizeof *copy) : NULL;
    *count = copy ? known.items.count : 0;
    for (size_t i = 0; i < *count && good; i++) {
        copy[i] = ct_arena_strdup(arena, ct_intern_get(&known, (uint32_t)i));
        good = copy[i];
    }
    if (good)
        ct_sort(copy, *count, sizeof *copy, by_name);
    *names = copy;
    ct_intern_free(&known);
    return good && copy ? CT_OK : CT_DATA;
}

const char *share_places(struct ct_arena *arena, const char *folder) {
    char paths[FOLDERS][LONGEST];
    share_folders(folder, paths);
    bool both = *paths[0] && *paths[1];
    return ct_arena_format(arena, "%s%s%s", paths[0], both ? ", " : "", paths[1]);
}
