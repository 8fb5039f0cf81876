#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "safetensors.h"

/* A folder of the test's own, and one file in it. */
struct place {
    char folder[64], path[96];
};

static struct place make_place(void)
{
    struct place place;
    snprintf(place.folder, sizeof place.folder, "/tmp/test_safetensors.XXXXXX");
    cr_assert_not_null(mkdtemp(place.folder));
    snprintf(place.path, sizeof place.path, "%s/x.safetensors", place.folder);
    return place;
}

static void remove_place(const struct place *place)
{
    unlink(place->path);
    cr_expect_eq(rmdir(place->folder), 0, "something was left in %s", place->folder);
}

static void store(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static size_t load(const char *path, unsigned char *bytes, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    size_t size = fread(bytes, 1, capacity, file);
    fclose(file);
    return size;
}

/* A file with this header and so many bytes of data. */
static size_t compose(unsigned char *bytes, const char *header, size_t data_bytes)
{
    uint64_t length = strlen(header);
    memcpy(bytes, &length, sizeof length);
    memcpy(bytes + 8, header, length);
    memset(bytes + 8 + length, 0x5a, data_bytes);
    return 8 + length + data_bytes;
}

static const float matrix[6] = {1, -2, 0.5f, 1e-38f, 65504, -0.0f};
static const uint16_t halves[3] = {0x3f80, 0xbf80, 0x7fc0};
static const int32_t tokens[2] = {7, -1};

/* Three tensors: [2, 3] F32, [3] BF16, a scalar... and the last of two I32; 38 bytes of data. */
static void write_sample(const char *path)
{
    struct safetensors_tensor tensors[] = {
        {.name = "wte", .dtype = SAFETENSORS_F32, .dimensions = 2, .shape = {2, 3}},
        {.name = "h.0.\"\xc3\xa9", .dtype = SAFETENSORS_BF16, .dimensions = 1, .shape = {3}},
        {.name = "empty", .dtype = SAFETENSORS_F64, .dimensions = 2, .shape = {0, 4}},
        {.name = "tokens", .dtype = SAFETENSORS_I32, .dimensions = 1, .shape = {2}},
    };
    const struct safetensors_note notes[] = {{"step", "12"}, {"format", "test"}};
    struct safetensors_layout layout = {tensors, 4, notes, 2};
    struct safetensors_writer writer;
    struct diag diag = {0};
    cr_assert_eq(safetensors_create(&writer, path, &layout, &diag), STATUS_OK, "%s", diag.text);
    cr_assert_eq(tensors[3].offset, 30);
    cr_assert_eq(safetensors_write(&writer, 30, tokens, 8, &diag), STATUS_OK);
    cr_assert_eq(safetensors_write(&writer, 24, halves, 6, &diag), STATUS_OK);
    cr_assert_eq(safetensors_write(&writer, 0, matrix, 12, &diag), STATUS_OK);
    cr_assert_eq(safetensors_write(&writer, 12, matrix + 3, 12, &diag), STATUS_OK);
    cr_assert_eq(safetensors_finish(&writer, &diag), STATUS_OK, "%s", diag.text);
}

Test(safetensors, reads_what_it_wrote)
{
    struct place place = make_place();
    write_sample(place.path);
    struct safetensors_reader reader;
    struct diag diag = {0};
    cr_assert_eq(safetensors_open(&reader, place.path, &diag), STATUS_OK, "%s", diag.text);
    cr_expect_eq(reader.tensor_count, 4);
    const struct safetensors_tensor *wte = safetensors_find(&reader, "wte");
    cr_assert_not_null(wte);
    cr_expect(wte->dtype == SAFETENSORS_F32 && wte->dimensions == 2 && wte->shape[0] == 2 &&
              wte->shape[1] == 3);
    float back[6];
    cr_assert_eq(safetensors_read(&reader, wte->offset, back, sizeof back, &diag), STATUS_OK);
    cr_expect_eq(memcmp(back, matrix, sizeof back), 0);
    const struct safetensors_tensor *text = safetensors_find(&reader, "h.0.\"\xc3\xa9");
    cr_assert_not_null(text);
    cr_expect_eq(text->bytes, 6);
    cr_expect_str_eq(safetensors_note(&reader, "step"), "12");
    cr_expect_null(safetensors_note(&reader, "seed"));
    cr_expect_null(safetensors_find(&reader, "wt"));
    cr_expect_null(safetensors_find(&reader, "zzz"));
    safetensors_close(&reader);
    remove_place(&place);
}

/* The layout that is published, byte by byte: length, JSON padded with spaces, data at a multiple
 * of eight. */
Test(safetensors, writes_the_published_layout)
{
    struct place place = make_place();
    write_sample(place.path);
    unsigned char bytes[4096];
    size_t size = load(place.path, bytes, sizeof bytes);
    uint64_t length = 0;
    for (int i = 7; i >= 0; i--)
        length = length << 8 | bytes[i];
    cr_expect_eq((8 + length) % 8, 0);
    cr_expect_eq(size, 8 + length + 38);
    cr_expect_eq(bytes[8], '{');
    cr_expect(bytes[8 + length - 1] == ' ' || bytes[8 + length - 1] == '\n');
    cr_expect_eq(memcmp(bytes + 8 + length, matrix, sizeof matrix), 0);
    cr_expect_eq(memcmp(bytes + 8 + length + 30, tokens, sizeof tokens), 0);
    remove_place(&place);
}

Test(safetensors, counts_what_was_written)
{
    struct place place = make_place();
    struct safetensors_tensor tensor = {"x", SAFETENSORS_F32, 1, {4}, 0, 0};
    struct safetensors_layout layout = {&tensor, 1, NULL, 0};
    struct safetensors_writer writer;
    struct diag diag = {0};
    cr_assert_eq(safetensors_create(&writer, place.path, &layout, &diag), STATUS_OK);
    cr_expect_eq(safetensors_write(&writer, 0, matrix, 12, &diag), STATUS_OK);
    cr_expect_eq(safetensors_write(&writer, 12, matrix, 8, NULL), STATUS_BUG);
    cr_expect_eq(safetensors_finish(&writer, &diag), STATUS_BUG);
    cr_expect_not_null(strstr(diag.text, "12 of 16 bytes were written"), "%s", diag.text);
    safetensors_abandon(&writer);
    remove_place(&place);
}

Test(safetensors, never_overwrites_a_file)
{
    struct place place = make_place();
    store(place.path, "mine", 4);
    struct safetensors_tensor tensor = {"x", SAFETENSORS_F32, 1, {4}, 0, 0};
    struct safetensors_layout layout = {&tensor, 1, NULL, 0};
    struct safetensors_writer writer;
    struct diag diag = {0};
    cr_expect_eq(safetensors_create(&writer, place.path, &layout, &diag), STATUS_ENVIRONMENT);
    cr_expect_not_null(strstr(diag.text, "exists"), "%s", diag.text);
    remove_place(&place);
}

Test(safetensors, reports_a_full_disk)
{
    struct place place = make_place();
    struct safetensors_tensor tensor = {"x", SAFETENSORS_F32, 1, {4}, 0, 0};
    struct safetensors_layout layout = {&tensor, 1, NULL, 0};
    struct safetensors_writer writer;
    struct diag diag = {0};
    cr_assert_eq(safetensors_create(&writer, place.path, &layout, &diag), STATUS_OK);
    writer.full_at = 8;
    cr_expect_eq(safetensors_write(&writer, 0, matrix, 8, &diag), STATUS_OK);
    cr_expect_eq(safetensors_write(&writer, 8, matrix, 8, &diag), STATUS_ENVIRONMENT);
    cr_expect_not_null(strstr(diag.text, "No space left"), "%s", diag.text);
    safetensors_abandon(&writer);
    remove_place(&place);
}

/* What the message about a file with this header and this many bytes of data must contain. */
static const struct {
    const char *header;
    size_t data_bytes;
    const char *message;
} malformed[] = {
    {"[]", 0, "does not begin with {"},
    {"{", 0, "error"},
    {"{}", 1, "the rest belongs to none"},
    {"{} x", 0, "error"},
    {"{\"a\":1}", 0, "expected an object"},
    {"{\"a\":{}}", 0, "\"dtype\""},
    {"{\"a\":{\"dtype\":\"F31\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "expected a dtype"},
    {"{\"a\":{\"dtype\":7,\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "expected a string"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":1,\"data_offsets\":[0,4]}}", 4, "expected an array"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, "from 0 on"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1.0],\"data_offsets\":[0,4]}}", 4, "from 0 on"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[99999999999999999999],\"data_offsets\":[0,4]}}", 4,
     "from 0 on"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,4]}}", 4,
     "more than any file holds"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}", 4,
     "at most 8 dimensions"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "ask for 8"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}", 4, "expected two numbers"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,\"4\"]}}", 4, "from 0 on"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", 4, "not inside"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", 4, "not inside"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 5, "belongs to none"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[1,5]}}", 5, "a hole"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":0}}", 4, "nothing else"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
     "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[3,5]}}",
     5, "they overlap"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
     "\"\\u0061\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}",
     2, "twice"},
    {"{\"__metadata__\":{\"step\":1}}", 0, "texts only"},
    {"{\"__metadata__\":[]}", 0, "expected an object"},
};

Test(safetensors, says_what_is_wrong_with_a_header)
{
    struct place place = make_place();
    unsigned char bytes[1024];
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        store(place.path, bytes, compose(bytes, malformed[i].header, malformed[i].data_bytes));
        struct safetensors_reader reader;
        struct diag diag = {0};
        cr_expect_eq(safetensors_open(&reader, place.path, &diag), STATUS_INPUT, "%s",
                     malformed[i].header);
        cr_expect(strstr(diag.text, malformed[i].message) != NULL, "%s: %s", malformed[i].header,
                  diag.text);
        cr_expect(strstr(diag.text, place.path) == diag.text, "%s", diag.text);
    }
    remove_place(&place);
}

Test(safetensors, says_what_is_wrong_with_a_length)
{
    struct place place = make_place();
    const struct {
        unsigned char bytes[12];
        size_t size;
        const char *message;
    } cases[] = {
        {{0}, 0, "at least 8"},
        {{2, 0, 0, 0, 0, 0, 0}, 7, "at least 8"},
        {{2, 0, 0, 0, 0, 0, 0, 0, '{'}, 9, "beyond the end"},
        {{255, 255, 255, 255, 255, 255, 255, 255, '{', '}'}, 10, "beyond the end"},
        {{0, 0, 0, 0, 0, 0, 0, 0}, 8, "does not begin with {"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        store(place.path, cases[i].bytes, cases[i].size);
        struct safetensors_reader reader;
        struct diag diag = {0};
        cr_expect_eq(safetensors_open(&reader, place.path, &diag), STATUS_INPUT);
        cr_expect(strstr(diag.text, cases[i].message) != NULL, "%s", diag.text);
    }
    remove_place(&place);
}

Test(safetensors, reads_files_only)
{
    struct place place = make_place();
    struct safetensors_reader reader;
    struct diag diag = {0};
    cr_expect_eq(safetensors_open(&reader, place.folder, &diag), STATUS_INPUT);
    cr_expect_not_null(strstr(diag.text, "expected a file, found a folder"), "%s", diag.text);
    cr_assert_eq(mkfifo(place.path, 0600), 0);
    cr_expect_eq(safetensors_open(&reader, place.path, NULL), STATUS_INPUT);
    unlink(place.path);
    cr_expect_eq(safetensors_open(&reader, place.path, NULL), STATUS_INPUT);
    safetensors_close(&reader);
    safetensors_close(NULL);
    rmdir(place.folder);
}

/* Whatever the bytes, an accepted file holds what its reader promises. */
static bool opens_soundly(const char *path)
{
    struct safetensors_reader reader;
    struct diag diag = {0};
    enum status status = safetensors_open(&reader, path, &diag);
    if (status != STATUS_OK) {
        cr_expect_eq(status, STATUS_INPUT);
        cr_expect(diag.text[0] != '\0');
        return false;
    }
    uint64_t end = 0;
    char data[64];
    for (size_t i = 0; i < reader.tensor_count; i++) {
        const struct safetensors_tensor *tensor = &reader.tensors[i];
        cr_expect_eq(tensor->offset, end);
        end += tensor->bytes;
        cr_assert_leq(tensor->bytes, sizeof data);
        cr_expect_eq(safetensors_read(&reader, tensor->offset, data, tensor->bytes, &diag),
                     STATUS_OK);
    }
    cr_expect_eq(end, reader.data_bytes);
    safetensors_close(&reader);
    return true;
}

Test(safetensors, refuses_every_truncation)
{
    struct place place = make_place();
    unsigned char bytes[4096];
    write_sample(place.path);
    size_t size = load(place.path, bytes, sizeof bytes);
    for (size_t length = 0; length < size; length++) {
        store(place.path, bytes, length);
        cr_expect_not(opens_soundly(place.path), "cut to %zu bytes", length);
    }
    remove_place(&place);
}

Test(safetensors, survives_changed_bytes)
{
    struct place place = make_place();
    unsigned char bytes[4096];
    write_sample(place.path);
    size_t size = load(place.path, bytes, sizeof bytes);
    size_t refused = 0, tried = 0;
    static const unsigned char flips[] = {0x01, 0x04, 0x10, 0x80, 0xff};
    for (size_t i = 0; i < size - 38; i++)
        for (size_t f = 0; f < sizeof flips; f++) {
            bytes[i] ^= flips[f];
            store(place.path, bytes, size);
            refused += !opens_soundly(place.path);
            tried++;
            bytes[i] ^= flips[f];
        }
    /* Not all: a letter of a name or of the metadata may be another. */
    cr_expect_gt(refused, tried / 2, "%zu of %zu", refused, tried);
    remove_place(&place);
}

Test(safetensors, notices_a_file_cut_while_it_is_read)
{
    struct place place = make_place();
    write_sample(place.path);
    struct safetensors_reader reader;
    struct diag diag = {0};
    cr_assert_eq(safetensors_open(&reader, place.path, &diag), STATUS_OK);
    cr_assert_eq(truncate(place.path, (off_t)reader.data_begin + 4), 0);
    float back[6];
    cr_expect_eq(safetensors_read(&reader, 0, back, sizeof back, &diag), STATUS_INPUT);
    cr_expect_not_null(strstr(diag.text, "20 bytes early"), "%s", diag.text);
    cr_expect_eq(safetensors_read(&reader, 37, back, 2, NULL), STATUS_BUG);
    safetensors_close(&reader);
    remove_place(&place);
}
