#ifndef RANKLEDGER_TEMPLATE_FILE_H
#define RANKLEDGER_TEMPLATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "input.h"
#include "json_read.h"

/*
 * One JSON file of a template, read strictly: what is not known, stands twice or has another type
 * is refused with path, line, column and JSON pointer, with what was found and what is expected.
 */
struct template_file {
    struct json_read_document document;
    struct json_read_source source;
    struct input_buffer input; /* empty for a built-in file */
    char shown[1024];          /* its path, safe to print */
};

/*
 * Reads the file `name` of a folder; without a folder (NULL) the built-in one. *found: there is
 * such a file; a zeroed `file` stays so where there is none. STATUS_INPUT if it is no JSON or
 * cannot be read.
 */
enum status template_file_read(struct template_file *file, const char *folder, const char *name,
                               bool *found, struct diag *diag) STATUS_CHECKED;
/* A zeroed one is fine. */
void template_file_fini(struct template_file *file);

/* Names that are known in a place; `name` gives the one of an index. */
struct template_file_names {
    const char *(*name)(size_t index);
    size_t count;
    const char *what; /* "section", for a message */
};

/* *index becomes that of the name which a text node (or key) is; another one is refused with the
 * known names and, where one is close, "did you mean". */
enum status template_file_choose(const struct template_file *file, uint32_t node,
                                 const struct template_file_names *names, size_t *index,
                                 struct diag *diag) STATUS_CHECKED;

/* values[i] becomes the value of the i-th known member of an object, or JSON_READ_NONE; any other
 * member is refused. An `object` of JSON_READ_NONE has none. */
enum status template_file_members(const struct template_file *file, uint32_t object,
                                  const struct template_file_names *names, uint32_t *values,
                                  struct diag *diag) STATUS_CHECKED;

/* Refuses a value that has another type than `expected` says in words. */
enum status template_file_expect(const struct template_file *file, uint32_t node,
                                 enum json_read_type type, const char *expected,
                                 struct diag *diag) STATUS_CHECKED;

/* Refuses a value: "expected ..., found ...". */
enum status template_file_refuse(const struct template_file *file, uint32_t node,
                                 const char *expected, struct diag *diag) STATUS_CHECKED;

/* A number from `least` to `most`; `node` of JSON_READ_NONE leaves *value. */
enum status template_file_number(const struct template_file *file, uint32_t node,
                                 const double range[2], double *value,
                                 struct diag *diag) STATUS_CHECKED;

/* A text of one line, at most `longest` bytes and not empty, in the arena. */
enum status template_file_text(const struct template_file *file, uint32_t node, size_t longest,
                               struct arena *arena, const char **text,
                               struct diag *diag) STATUS_CHECKED;

#endif
