#include "cmd_schema.h"

#include <stdio.h>

#include "options.h"
#include "output.h"
#include "schema.h"

static enum status print_schema(void *context, const struct options_list *operands,
                                struct diag *diag)
{
    const char *const *path = context;
    struct text_buffer text = {0};
    (void)operands;
    enum status status = schema_write(&text, diag);
    if (status == STATUS_OK)
        status = output_write_file(*path, text.text, text.length, diag);
    text_buffer_fini(&text);
    return status;
}

enum status cmd_schema(int argc, char **argv, struct diag *diag)
{
    const char *path = NULL;
    const struct options_row rows[] = {
        {"output", OPTIONS_TEXT, "FILE", "write to FILE instead of standard output", &path, NULL, 0,
         0, NULL},
    };
    const struct options_command command = {
        .program = "rankledger",
        .name = "schema",
        .operands = "",
        .summary = "Prints the JSON Schema (draft 2020-12) of evidence files.",
        .notes = "The schema is made from the rules that `rankledger validate` applies. It says\n"
                 "what a schema can say; rules that compare fields or only warn are beyond it.",
        .rows = rows,
        .row_count = sizeof rows / sizeof rows[0],
        .act = print_schema,
        .context = &path,
    };
    return options_run(&command, argc, argv, diag);
}
