#include "format/sqlite_header.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Where the header has what. */
enum {
    /* Two bytes; 1 stands for 65536. */
    PAGE_BYTES = 16,
    WRITE_VERSION = 18,
    /* 2: with a write-ahead log. */
    READ_VERSION = 19,
    /* How often the file was changed. */
    CHANGES = 24,
    /* How many the file has; valid if it was written at the last change. */
    PAGES = 28,
    USER_VERSION = 60,
    APPLICATION_ID = 68,
    /* The count of changes when PAGES was written. */
    PAGES_VALID_FOR = 92
};

static uint32_t big_endian(const unsigned char *bytes, int count) {
    uint32_t number = 0;
    for (int i = 0; i < count; i++)
        number = number << 8 | bytes[i];
    return number;
}

static int64_t promised_bytes(const unsigned char *bytes, size_t got) {
    int64_t page = (int64_t)big_endian(bytes + PAGE_BYTES, 2);
    if (got < SQLITE_HEADER_BYTES)
        return SQLITE_HEADER_BYTES;
    if (big_endian(bytes + CHANGES, 4) != big_endian(bytes + PAGES_VALID_FOR, 4))
        return 0;
    return (page == 1 ? 65536 : page) * (int64_t)big_endian(bytes + PAGES, 4);
}

struct sqlite_header sqlite_header_of(const void *content, size_t size) {
    unsigned char bytes[SQLITE_HEADER_BYTES] = {0};
    size_t got = size < sizeof bytes ? size : sizeof bytes;
    memcpy(bytes, content, got);
    bool sqlite = memcmp(bytes, "SQLite format 3", 16) == 0;
    return (struct sqlite_header){.bytes = (int64_t)size,
                                  .sqlite = sqlite,
                                  .promised = sqlite ? promised_bytes(bytes, got) : 0,
                                  .user_version = big_endian(bytes + USER_VERSION, 4),
                                  .application_id = big_endian(bytes + APPLICATION_ID, 4),
                                  .wal = sqlite && bytes[READ_VERSION] == 2};
}

void sqlite_header_forget_log(void *content, size_t size) {
    unsigned char *bytes = content;
    if (sqlite_header_of(content, size).wal)
        bytes[WRITE_VERSION] = bytes[READ_VERSION] = 1;
}

bool sqlite_header_read(const char *path, struct sqlite_header *header) {
    unsigned char bytes[SQLITE_HEADER_BYTES];
    *header = (struct sqlite_header){0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t got = fread(bytes, 1, sizeof bytes, file);
    bool read = !ferror(file) && fseek(file, 0, SEEK_END) == 0;
    int reason = errno;
    *header = sqlite_header_of(bytes, got);
    header->bytes = read ? ftell(file) : 0;
    fclose(file);
    errno = reason;
    return read;
}
