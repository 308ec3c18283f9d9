#include "format/output_file.h"

#include "base/ct_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
    PART_ROOM = 48,
    MOST_PARTS = 10000,
    MOST_NAMED = 64,
    /* Permissions of a new file, before the umask. */
    EVERYBODY = 0666
};

/* Names of the temporary files that are there: whoever takes one out frees it. */
static _Atomic(char *) names[MOST_NAMED];

void output_file_remove_parts(void) {
    for (size_t i = 0; i < MOST_NAMED; i++) {
        char *name = atomic_exchange(&names[i], NULL);
        if (name)
            unlink(name);
    }
}

static bool replace_name(char *name, char *by) {
    for (size_t i = 0; i < MOST_NAMED; i++) {
        char *expected = name;
        if (atomic_compare_exchange_strong(&names[i], &expected, by))
            return true;
    }
    return false;
}

static void note_part(struct output_file *output) {
    output->named = true;
    replace_name(NULL, output->part);
}

static void release(struct output_file *output) {
    if (!output->named || replace_name(output->part, NULL))
        free(output->part);
    free(output->target);
    *output = (struct output_file){0};
}

static void name_part(struct output_file *output, int number) {
    snprintf(output->part, strlen(output->target) + PART_ROOM, "%s.%ld-%d.part", output->target,
             (long)getpid(), number);
}

/* A file without a name in the folder of the path; -1, with errno. */
static int open_unnamed(struct output_file *output) {
    const char *slash = strrchr(output->target, '/');
    int length = slash ? (int)(slash - output->target) + 1 : 1;
    snprintf(output->part, strlen(output->target) + PART_ROOM, "%.*s", length,
             slash ? output->target : ".");
    return open(output->part, O_TMPFILE | O_WRONLY | O_CLOEXEC, EVERYBODY);
}

/* One under a name that is nobody's: what is there, be it a link, is left alone. */
static int open_named(struct output_file *output) {
    int file = -1;
    for (int i = 0; i < MOST_PARTS && file < 0; i++) {
        name_part(output, i);
        file = open(output->part, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, EVERYBODY);
        if (file < 0 && errno != EEXIST)
            return -1;
    }
    if (file >= 0)
        note_part(output);
    return file;
}

static FILE *open_part(struct output_file *output) {
    int file = open_unnamed(output);
    if (file < 0)
        file = open_named(output);
    FILE *stream = file < 0 ? NULL : fdopen(file, "w");
    if (file >= 0 && !stream) {
        int reason = errno;
        if (output->named)
            unlink(output->part);
        close(file);
        errno = reason;
    }
    return stream;
}

bool output_file_is_packed(const char *path) {
    size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

static ssize_t write_packed(void *stream, const char *bytes, size_t size) {
    enum { PIECE = 1 << 20 };
    return gzwrite(stream, bytes, (unsigned)(size < PIECE ? size : PIECE));
}

static int close_packed(void *stream) {
    return gzclose(stream) == Z_OK ? 0 : EOF;
}

/* Puts a stream that compresses before the file. False, with errno and the file closed. */
static bool pack(struct output_file *output) {
    static const cookie_io_functions_t functions = {.write = write_packed, .close = close_packed};
    int copy = dup(fileno(output->file));
    gzFile stream = copy < 0 ? NULL : gzdopen(copy, "wb");
    output->packed = output->file;
    output->file = stream ? fopencookie(stream, "w", functions) : NULL;
    if (output->file)
        return true;
    int reason = errno;
    if (stream)
        gzclose(stream);
    else if (copy >= 0)
        close(copy);
    if (output->named)
        unlink(output->part);
    fclose(output->packed);
    errno = reason;
    return false;
}

/* Ends what was compressed; the file lies there whole. Whether it could be written. */
static bool unpack(struct output_file *output) {
    bool written = !ferror(output->file);
    written = fclose(output->file) == 0 && written;
    output->file = output->packed;
    output->packed = NULL;
    return written;
}

/* Finds the file that is to be replaced, if one is. False: memory ran out. */
static bool find_target(struct output_file *output) {
    const char *path = output->path;
    struct stat status;
    bool plain = *path && (lstat(path, &status) != 0 || S_ISREG(status.st_mode));
    /* A standard stream is a link there, to what somebody else writes to as well. */
    bool stream = strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
    if (!plain && (stream || stat(path, &status) != 0 || !S_ISREG(status.st_mode)))
        return true;
    output->target = plain ? strdup(path) : realpath(path, NULL);
    output->part = output->target ? malloc(strlen(output->target) + PART_ROOM) : NULL;
    return output->part != NULL;
}

static bool is_same_file(const char *a, const char *b) {
    struct stat one, other;
    return strcmp(a, b) == 0 || (stat(a, &one) == 0 && stat(b, &other) == 0 &&
                                 one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

/* Whether a file that was read lies at the path, whatever it was called then. */
static bool is_in_use(const char *path, const struct ct_files_read *read) {
    for (size_t i = 0; read && i < read->paths.items.count; i++)
        if (is_same_file(path, read->paths.items.items[i].bytes))
            return true;
    return false;
}

bool output_file_open(struct output_file *output, const char *path, struct ct_diags *diags) {
    *output = (struct output_file){.path = path};
    if (!find_target(output)) {
        release(output);
        ct_out_of_memory(diags);
        return false;
    }
    /* A device keeps nothing that could be lost. */
    if (output->target && diags->files && is_in_use(path, diags->files->read)) {
        ct_error(diags, path, "is in use: it would be overwritten");
        release(output);
        return false;
    }
    output->file = output->target ? open_part(output) : fopen(path, "w");
    if (output->file && (!output_file_is_packed(path) || pack(output)))
        return true;
    ct_file_error(diags, path, "write it", errno);
    release(output);
    return false;
}

/* Gives a file without a name one. False, with errno. */
static bool name_file(struct output_file *output) {
    char source[40];
    snprintf(source, sizeof source, "/proc/self/fd/%d", fileno(output->file));
    for (int i = 0; i < MOST_PARTS && !output->named; i++) {
        name_part(output, i);
        if (linkat(AT_FDCWD, source, AT_FDCWD, output->part, AT_SYMLINK_FOLLOW) == 0)
            note_part(output);
        else if (errno != EEXIST)
            return false;
    }
    return output->named;
}

int output_file_close(struct output_file *output, int status, struct ct_diags *diags) {
    if (!output->file)
        return status;
    struct stat old;
    bool failed = output->packed && !unpack(output);
    failed = failed || ferror(output->file) != 0 || fflush(output->file) != 0;
    if (!failed && output->part && status == CT_OK)
        failed = !output->named && !name_file(output);
    /* Who may read it stays. */
    if (!failed && output->part && stat(output->target, &old) == 0)
        fchmod(fileno(output->file), old.st_mode & EVERYBODY);
    int reason = errno; /* closing may leave another one */
    if (fclose(output->file) != 0 && !failed) {
        failed = true;
        reason = errno;
    }
    if (failed && (status == CT_OK || !diags->errors))
        status = ct_file_error(diags, output->path, "write it", reason);
    const char *part = output->named ? output->part : NULL;
    if (part && status == CT_OK && rename(part, output->target) != 0)
        status = ct_file_error(diags, output->path, "write it", errno);
    if (part && status != CT_OK)
        unlink(part);
    release(output);
    return status;
}

bool output_file_probe(const char *path, struct ct_diags *diags) {
    static const char some[1 << 16]; /* a full disk takes the name, but not what is in it */
    struct output_file output;
    struct stat status;
    /* Opening a pipe waits for who reads from it; a link to nothing would get a file there. */
    if (lstat(path, &status) == 0 &&
        (stat(path, &status) != 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))))
        return true;
    if (!output_file_open(&output, path, diags))
        return false;
    bool written = fwrite(some, sizeof some, 1, output.file) == 1 && fflush(output.file) == 0;
    if (!written)
        ct_file_error(diags, path, "write it", errno);
    output_file_drop(&output);
    return written;
}

void output_file_drop(struct output_file *output) {
    struct ct_diags ignored = {0};
    output_file_close(output, CT_DATA, &ignored);
    ct_diags_free(&ignored);
}

int output_folder_hold(const char *folder) {
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0 || flock(file, LOCK_EX) == 0)
        return file;
    close(file);
    return -1;
}

void output_folder_release(int held) {
    if (held >= 0)
        close(held);
}
