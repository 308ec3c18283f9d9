#include "cli/run_folder.h"

#include "base/ct_vec.h"
#include "format/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Before the bytes of a result: of which run it is, and a hash of the bytes. */
struct head {
    char format[8];
    struct ct_hash key, content;
};
static const char FORMAT[8] = "ctrun/1";

static const char SUFFIX[] = ".run";
/* Most bytes of a file and of its path. */
enum { MOST_BYTES = 1 << 30, MOST_PATH = 4096 };

/* ---- Folder ---- */

static bool make_folders(char *path) {
    for (char *next = path; (next = strchr(next + 1, '/'));) {
        *next = '\0';
        bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        *next = '/';
        if (!made)
            return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

void run_folder_open(struct run_folder *folder, const char *path, struct ct_hash program) {
    *folder = (struct run_folder){.path = strdup(path), .program = program};
    if (folder->path && make_folders(folder->path))
        return;
    free(folder->path);
    folder->path = NULL;
}

/* The hash of this build, to the byte, and of the C library's version, as its functions may round
 * otherwise. False: unknown. */
static bool hash_program(struct ct_hash *hash) {
    char libc[64] = "";
    *hash = ct_hash_start();
    confstr(_CS_GNU_LIBC_VERSION, libc, sizeof libc);
    ct_hash_string(hash, libc);
    return ct_hash_file(hash, "/proc/self/exe");
}

/* False: nowhere, or the name is too long. */
static bool find_folder(char *path, size_t size) {
    const char *given = getenv("COTENANT_CACHE"), *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length = 0;
    if (given)
        length = snprintf(path, size, "%s", given);
    else if (cache && *cache == '/')
        length = snprintf(path, size, "%s/cotenant/runs", cache);
    else if (home && *home == '/')
        length = snprintf(path, size, "%s/.cache/cotenant/runs", home);
    return length > 0 && (size_t)length < size;
}

const struct run_cache *run_folder_find(struct run_folder *folder, const struct cli_args *args) {
    char path[MOST_PATH - CT_HASH_TEXT - sizeof SUFFIX];
    struct ct_hash program;
    *folder = (struct run_folder){0};
    if (!cli_has(args, "no-cache") && find_folder(path, sizeof path) && hash_program(&program))
        run_folder_open(folder, path, program);
    folder->cache = run_folder_cache(folder);
    return folder->path ? &folder->cache : NULL;
}

static void name_file(const struct run_folder *folder, struct ct_hash key, char path[MOST_PATH]) {
    struct ct_hash name = folder->program;
    char text[CT_HASH_TEXT];
    ct_hash_add(&name, key);
    ct_hash_print(name, text);
    snprintf(path, MOST_PATH, "%s/%s%s", folder->path, text, SUFFIX);
}

/* ---- Files ---- */

static struct head head_of(struct ct_hash key, const unsigned char *bytes, size_t size) {
    struct head head = {.key = key, .content = ct_hash_start()};
    memcpy(head.format, FORMAT, sizeof head.format);
    ct_hash_bytes(&head.content, bytes, size);
    return head;
}

/* The whole file, malloc'ed; NULL: there is none that can be read. */
static unsigned char *read_file(const char *path, size_t *size) {
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool fits = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                status.st_size > (off_t)sizeof(struct head) && status.st_size <= MOST_BYTES;
    unsigned char *all = fits ? malloc((size_t)status.st_size) : NULL;
    ssize_t got = 0;
    *size = 0;
    while (all && *size < (size_t)status.st_size &&
           (got = read(file, all + *size, (size_t)status.st_size - *size)) > 0)
        *size += (size_t)got;
    if (all && *size == (size_t)status.st_size)
        futimens(file, NULL); /* used now */
    if (file >= 0)
        close(file);
    return all;
}

static int take(void *context, struct ct_hash key, unsigned char **bytes, size_t *size,
                struct ct_diags *diags) {
    struct run_folder *folder = context;
    char path[MOST_PATH];
    (void)diags;
    name_file(folder, key, path);
    unsigned char *all = read_file(path, size);
    *bytes = NULL;
    if (all && *size > sizeof(struct head)) {
        *size -= sizeof(struct head);
        struct head wanted = head_of(key, all + sizeof wanted, *size);
        if (memcmp(&wanted, all, sizeof wanted) == 0) {
            memmove(all, all + sizeof wanted, *size);
            *bytes = all;
            folder->taken = true;
        }
    }
    if (!*bytes)
        free(all);
    return CT_OK;
}

static int give(void *context, struct ct_hash key, const unsigned char *bytes, size_t size,
                struct ct_diags *diags) {
    struct run_folder *folder = context;
    struct ct_diags unheard = {0};
    struct output_file output = {0};
    char path[MOST_PATH];
    (void)diags;
    name_file(folder, key, path);
    if (bytes && output_file_open(&output, path, &unheard)) {
        struct head head = head_of(key, bytes, size);
        fwrite(&head, sizeof head, 1, output.file);
        fwrite(bytes, 1, size, output.file);
        if (output_file_close(&output, CT_OK, &unheard) == CT_OK)
            folder->grown = true;
    }
    ct_diags_free(&unheard);
    return CT_OK;
}

struct run_cache run_folder_cache(struct run_folder *folder) {
    return (struct run_cache){folder, take, give, true};
}

/* ---- What is too much ---- */

struct kept_file {
    char name[CT_HASH_TEXT + sizeof SUFFIX];
    struct timespec used;
    double bytes; /* what it takes of the disk */
};

static int compare_used(const void *a, const void *b) {
    const struct kept_file *left = a, *right = b;
    if (left->used.tv_sec != right->used.tv_sec)
        return left->used.tv_sec < right->used.tv_sec ? -1 : 1;
    return (left->used.tv_nsec > right->used.tv_nsec) - (left->used.tv_nsec < right->used.tv_nsec);
}

static bool is_kept(const char *name) {
    size_t length = strlen(name), suffix = sizeof SUFFIX - 1;
    return length < sizeof((struct kept_file *)0)->name && length > suffix &&
           strcmp(name + length - suffix, SUFFIX) == 0;
}

static void remove_oldest(DIR *dir) {
    CT_VEC(struct kept_file) files = {0};
    double bytes = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        struct kept_file file = {0};
        struct stat status;
        if (!is_kept(entry->d_name) ||
            fstatat(dirfd(dir), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        memcpy(file.name, entry->d_name, strlen(entry->d_name));
        file.used = status.st_mtim;
        file.bytes = fmax((double)status.st_size, 512.0 * (double)status.st_blocks);
        bytes += file.bytes;
        if (!ct_vec_push(&files, file))
            break;
    }
    if (bytes > RUN_FOLDER_BYTES && files.count > 0) {
        qsort(files.items, files.count, sizeof *files.items, compare_used);
        for (size_t i = 0; bytes > RUN_FOLDER_BYTES / 2 && i < files.count; i++) {
            unlinkat(dirfd(dir), files.items[i].name, 0);
            bytes -= files.items[i].bytes;
        }
    }
    ct_vec_free(&files);
}

void run_folder_close(struct run_folder *folder) {
    DIR *dir = folder->path && folder->grown ? opendir(folder->path) : NULL;
    if (dir) {
        remove_oldest(dir);
        closedir(dir);
    }
    free(folder->path);
    folder->path = NULL;
}
