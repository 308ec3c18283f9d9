#include "format/sqlite_packed.h"

#include "base/ct_files.h"
#include "format/sqlite_file.h"
#include "format/sqlite_header.h"
#include "format/unpack_limit.h"

#include <errno.h>
#include <inttypes.h>
#include <zlib.h>

enum { CHUNK_BYTES = 1 << 20 };
#define MOST_BYTES UINT64_C(2147483391) /* SQLite hands out no larger piece of memory */

/* What has come out of a file, in memory of SQLite's. */
struct content {
    unsigned char *bytes;
    uint64_t size, room;
};

bool sqlite_packed_is(const char *path) {
    unsigned char begin[SQLITE_HEADER_BYTES];
    gzFile file = gzopen(path, "rb");
    int got = file ? gzread(file, begin, sizeof begin) : 0;
    bool packed = got > 0 && !gzdirect(file) && sqlite_header_of(begin, (size_t)got).sqlite;
    if (file)
        gzclose(file);
    return packed;
}

static bool grow(struct content *content, const char *path, struct ct_diags *diags) {
    uint64_t room = content->room ? 2 * content->room : CHUNK_BYTES;
    room = room < MOST_BYTES ? room : MOST_BYTES;
    if (content->room == MOST_BYTES) {
        ct_error(diags, path, "unpacks to more than 2 GB, which are not read from gz: unpack it");
        return false;
    }
    unsigned char *more = sqlite3_realloc64(content->bytes, room);
    if (!more) {
        ct_out_of_memory(diags);
        return false;
    }
    content->bytes = more;
    content->room = room;
    return true;
}

/* Whether the end was reached in order; an error if not. */
static bool unpack(gzFile file, struct content *content, const char *path, struct ct_diags *diags) {
    int got = 1, code = Z_OK;
    while (got > 0) {
        if (content->size == content->room && !grow(content, path, diags))
            return false;
        uint64_t left = content->room - content->size;
        got = gzread(file, content->bytes + content->size,
                     left < CHUNK_BYTES ? (unsigned)left : CHUNK_BYTES);
        content->size += got > 0 ? (uint64_t)got : 0;
        if (unpack_is_too_much(file, content->size)) {
            ct_error(diags, path, "%s", UNPACK_TOO_MUCH);
            return false;
        }
    }
    gzerror(file, &code);
    if (got < 0 || code == Z_BUF_ERROR)
        ct_error(diags, path, "the compressed data is cut off or damaged");
    return got == 0 && code != Z_BUF_ERROR;
}

static bool is_whole(const struct content *content, const char *path, struct ct_diags *diags) {
    struct sqlite_header header = sqlite_header_of(content->bytes, content->size);
    if (header.bytes < header.promised)
        ct_error(diags, path, "is cut off: %" PRId64 " of %" PRId64 " bytes, unpacked",
                 header.bytes, header.promised);
    return header.bytes >= header.promised;
}

int sqlite_packed_open(const char *path, sqlite3 **db, struct ct_diags *diags) {
    struct content content = {0};
    gzFile file = gzopen(path, "rb");
    *db = NULL;
    if (!file) {
        ct_file_error(diags, path, "open it", errno ? errno : ENOMEM);
        return SQLITE_AUTH;
    }
    ct_files_note(diags->files, path);
    bool good = unpack(file, &content, path, diags) && is_whole(&content, path, diags);
    gzclose(file);
    if (good)
        return sqlite_file_take(path, content.bytes, content.size, db, diags);
    sqlite3_free(content.bytes);
    return SQLITE_AUTH;
}
