#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "json_write.h"
#include "output.h"

/*
 * The subject of the tests of fail_each.py: reads INPUT and writes a JSON document to OUTPUT. As
 * "sound" it handles every failure; each other word makes one mistake that fail_each.py must find.
 *
 *     fail_sample WORD INPUT OUTPUT
 */

static enum status report(const char *word, const struct diag *diag, enum status status)
{
    if (status != STATUS_OK && strcmp(word, "mute") != 0)
        fprintf(stderr, "fail_sample: %s\n", diag->text);
    return status;
}

static enum status write_document(const struct input_buffer *input, const char *path,
                                  struct diag *diag)
{
    struct json_write writer = {0};
    json_t *root = json_write_object(&writer);
    json_write_set(&writer, root, "bytes", json_write_integer(&writer, (int64_t)input->size));
    json_write_set(&writer, root, "text", json_write_string_n(&writer, input->data, input->size));
    enum status status = json_write_file(&writer, root, path, diag);
    json_decref(root);
    return status;
}

static enum status run_sound(const char *in, const char *out, struct diag *diag)
{
    struct input_buffer input = {0};
    enum input_fault fault;
    enum status status = input_read_file(&input, in, INPUT_DEFAULT_LIMIT, &fault, diag);
    if (status == STATUS_OK)
        status = write_document(&input, out, diag);
    input_fini(&input);
    if (status == STATUS_OK && (puts("written") < 0 || fflush(stdout) != 0))
        status = diag_set(diag, STATUS_ENVIRONMENT, "standard output: cannot write");
    return status;
}

/* Writes over the target itself, so that a full disk destroys what was there. */
static enum status run_in_place(const char *out, struct diag *diag)
{
    FILE *file = fopen(out, "w");
    if (file == NULL)
        return diag_set(diag, STATUS_ENVIRONMENT, "cannot open");
    int failed = fputs("first half, ", file) < 0;
    failed |= fflush(file) != 0 || fputs("second half\n", file) < 0;
    failed |= fclose(file) != 0;
    return failed ? diag_set(diag, STATUS_ENVIRONMENT, "cannot write") : STATUS_OK;
}

/* Leaves its temporary file behind when the renaming fails. */
static enum status run_litter(const char *out, struct diag *diag)
{
    char temporary[4096];
    snprintf(temporary, sizeof temporary, "%s.tmp", out);
    if (output_write_file(temporary, "x\n", 2, diag) != STATUS_OK)
        return diag->status;
    return rename(temporary, out) == 0 ? STATUS_OK
                                       : diag_set(diag, STATUS_ENVIRONMENT, "cannot rename");
}

static enum status run_crash(void)
{
    char *volatile text = malloc(16); /* volatile: the compiler would leave both calls out */
    *(volatile char *)text = 'x';     /* unchecked on purpose */
    free(text);
    return STATUS_OK;
}

/* Forgets its memory when something goes wrong. */
static enum status run_leak(const char *out, struct diag *diag)
{
    char *volatile text = malloc(16);
    if (text == NULL)
        return diag_no_memory(diag);
    if (output_write_file(out, "x\n", 2, diag) != STATUS_OK) {
        text = NULL; /* lost on purpose */
        return diag->status;
    }
    free(text);
    return STATUS_OK;
}

/* Notices nothing: what cannot be written is reported as done. */
static enum status run_silent(const char *out)
{
    FILE *file = fopen(out, "w");
    if (file != NULL) {
        fputs("done\n", file);
        fclose(file);
    }
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    struct diag diag = {0};
    if (argc != 4)
        return STATUS_USAGE;
    const char *word = argv[1];
    const char *out = argv[3];
    enum status status = STATUS_USAGE;
    if (strcmp(word, "sound") == 0 || strcmp(word, "mute") == 0)
        status = run_sound(argv[2], out, &diag);
    else if (strcmp(word, "in_place") == 0)
        status = run_in_place(out, &diag);
    else if (strcmp(word, "litter") == 0)
        status = run_litter(out, &diag);
    else if (strcmp(word, "crash") == 0)
        status = run_crash();
    else if (strcmp(word, "leak") == 0)
        status = run_leak(out, &diag);
    else if (strcmp(word, "silent") == 0)
        status = run_silent(out);
    return (int)report(word, &diag, status);
}
