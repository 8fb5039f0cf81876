#ifndef RANKLEDGER_SAFETENSORS_H
#define RANKLEDGER_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "diag.h"

/*
 * Files in the safetensors format (huggingface/safetensors, README.md, "Format"): eight bytes
 * little-endian, the header's length; the header, a JSON object from tensor names to dtype, shape
 * and data_offsets (from the start of the data, end excluded), and texts under "__metadata__"; the
 * data, row-major and little-endian, without holes. The header is padded with spaces so that the
 * data begin at a multiple of eight bytes.
 *
 * Both directions are positioned: parts of tensors are written and read in any order, of any size,
 * and nothing is copied in between. Numbers are written as the machine has them, which must be
 * little-endian (checked when this is compiled).
 */

#define SAFETENSORS_MAX_DIMENSIONS 8
/* The reference implementation refuses a longer header too (MAX_HEADER_SIZE). */
#define SAFETENSORS_MAX_HEADER_BYTES UINT64_C(100000000)

enum safetensors_dtype {
    SAFETENSORS_BOOL,
    SAFETENSORS_U8,
    SAFETENSORS_I8,
    SAFETENSORS_F8_E5M2,
    SAFETENSORS_F8_E4M3,
    SAFETENSORS_I16,
    SAFETENSORS_U16,
    SAFETENSORS_F16,
    SAFETENSORS_BF16,
    SAFETENSORS_I32,
    SAFETENSORS_U32,
    SAFETENSORS_F32,
    SAFETENSORS_F64,
    SAFETENSORS_I64,
    SAFETENSORS_U64,
    SAFETENSORS_DTYPE_COUNT
};

/* "F32", "BF16"; static storage. */
const char *safetensors_dtype_name(enum safetensors_dtype dtype);
/* Bytes of one element. */
uint64_t safetensors_dtype_bytes(enum safetensors_dtype dtype);

struct safetensors_tensor {
    const char *name;
    enum safetensors_dtype dtype;
    unsigned dimensions; /* 0: a scalar */
    uint64_t shape[SAFETENSORS_MAX_DIMENSIONS];
    uint64_t offset; /* bytes from the start of the data; safetensors_create fills it in */
    uint64_t bytes;  /* of all its elements; as above */
};

/* One text under "__metadata__". */
struct safetensors_note {
    const char *key, *value;
};

struct safetensors_layout {
    struct safetensors_tensor *tensors; /* stored in this order, one after the other */
    size_t tensor_count;
    const struct safetensors_note *notes;
    size_t note_count;
};

struct safetensors_writer {
    int descriptor;      /* -1: closed */
    char *path;          /* heap; safe to print */
    uint64_t data_begin; /* bytes from the start of the file */
    uint64_t data_bytes;
    uint64_t written;
    uint64_t full_at; /* bytes of data after which the disk counts as full (an injected fault) */
};

/*
 * Creates the file, which must not exist, reserves its room on the disk where the file system can,
 * and writes the header. The layout is needed during the call only; offset and bytes of its tensors
 * are filled in. STATUS_ENVIRONMENT names the path and the system's reason. After a failure there
 * is nothing to abandon (the file may be there).
 */
enum status safetensors_create(struct safetensors_writer *writer, const char *path,
                               struct safetensors_layout *layout, struct diag *diag) STATUS_CHECKED;
/* `bytes` of data at `offset` from the start of the data. */
enum status safetensors_write(struct safetensors_writer *writer, uint64_t offset, const void *data,
                              uint64_t bytes, struct diag *diag) STATUS_CHECKED;
/* Waits until the file is on the disk (fsync) and closes it, also on failure. STATUS_BUG if more or
 * less was written than the layout has. */
enum status safetensors_finish(struct safetensors_writer *writer, struct diag *diag) STATUS_CHECKED;
/* Closes what was not finished; the file stays. NULL, a zeroed and a finished writer are allowed.
 */
void safetensors_abandon(struct safetensors_writer *writer);

/* A zeroed reader is safe to close. */
struct safetensors_reader {
    int descriptor;
    const char *path;                   /* safe to print */
    struct safetensors_tensor *tensors; /* by offset */
    struct safetensors_tensor **by_name;
    size_t tensor_count;
    struct safetensors_note *notes;
    size_t note_count;
    uint64_t data_begin, data_bytes;
    struct arena arena; /* of all of these */
};

/*
 * Opens a file and checks its header whole: afterwards every tensor lies inside the file, has as
 * many bytes as its dtype and shape say, and the data have neither holes nor overlaps nor a rest.
 * STATUS_INPUT names the file and what is wrong with it. After a failure there is nothing to close.
 */
enum status safetensors_open(struct safetensors_reader *reader, const char *path,
                             struct diag *diag) STATUS_CHECKED;
/* NULL if there is none of that name. */
const struct safetensors_tensor *safetensors_find(const struct safetensors_reader *reader,
                                                  const char *name);
/* The text under "__metadata__", or NULL. */
const char *safetensors_note(const struct safetensors_reader *reader, const char *key);
/* Bytes [offset, offset + bytes) of the data. STATUS_INPUT if the file has become shorter or cannot
 * be read. */
enum status safetensors_read(const struct safetensors_reader *reader, uint64_t offset, void *data,
                             uint64_t bytes, struct diag *diag) STATUS_CHECKED;
/* Asks the system to forget the file's cached pages, so that a read comes from the disk. A wish. */
void safetensors_forget_cached(const struct safetensors_reader *reader);
void safetensors_close(struct safetensors_reader *reader);

#endif
