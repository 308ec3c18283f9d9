/* What the folder of kept runs removes, and when. Large files are sparse. */
#include "cli/run_folder.h"
#include "cmocka_complete.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct ct_hash program = {1, 2};
static char folder_path[] = "/tmp/run-folder-XXXXXX";

static const char *path_of(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder_path, name);
    return path;
}

/* A file of so many MiB that was used so many seconds after the first of all. */
static void put(const char *name, int mib, int used) {
    struct timespec times[2] = {{.tv_sec = 1000000 + used}, {.tv_sec = 1000000 + used}};
    int file = open(path_of(name), O_CREAT | O_WRONLY, 0600);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)mib << 20), 0);
    assert_int_equal(futimens(file, times), 0);
    close(file);
}

static bool is_there(const char *name) {
    return access(path_of(name), F_OK) == 0;
}

/* One more result, and the end of the program that made it. */
static void keep_one(unsigned char key) {
    CLOSED_BY(run_folder_close) struct run_folder folder;
    struct ct_diags diags = {0};
    unsigned char bytes[] = "result", *got;
    size_t size;
    run_folder_open(&folder, folder_path, program);
    struct run_cache cache = run_folder_cache(&folder);
    const struct ct_hash name = {key, 0};
    cache.give(cache.context, name, bytes, sizeof bytes, &diags);
    cache.take(cache.context, name, &got, &size, &diags);
    assert_non_null(got);
    assert_int_equal(size, sizeof bytes);
    assert_memory_equal(got, bytes, size);
    free(got);
}

TEST(keeps_what_has_room) {
    put("a.run", 250, 1);
    put("b.run", 250, 0);
    keep_one(1);
    assert_true(is_there("a.run"));
    assert_true(is_there("b.run"));
}

TEST(removes_what_was_used_longest_ago) {
    put("c.run", 100, 3);
    put("d.run", 100, 2);
    put("another", 600, 0);
    keep_one(2);
    assert_false(is_there("b.run")); /* 700 MiB and a little: down to 256 */
    assert_false(is_there("a.run"));
    assert_true(is_there("d.run"));
    assert_true(is_there("c.run"));
    assert_true(is_there("another"));
}

static int make_folder(void **state) {
    return mkdtemp(folder_path) ? 0 : -1;
}

static int remove_folder(void **state) {
    DIR *dir = opendir(folder_path);
    if (!dir)
        return -1;
    for (struct dirent *entry; (entry = readdir(dir));)
        unlinkat(dirfd(dir), entry->d_name, 0); /* "." and ".." stay */
    closedir(dir);
    return rmdir(folder_path);
}

TEST_GROUP(make_folder, remove_folder)
