#include "cmd_ledger.h"

#include <stdio.h>

#include "ledger_request.h"
#include "options.h"
#include "output.h"

enum ledger_format { LEDGER_TEXT, LEDGER_JSON, LEDGER_CSV };

static enum status print(const struct ledger_request *request, const struct ledger_rows *rows,
                         enum ledger_format format, struct diag *diag)
{
    struct text_buffer out = {0};
    enum status status = STATUS_OK;
    if (format == LEDGER_JSON)
        status = ledger_rows_json(request, rows, &out, diag);
    else if (format == LEDGER_CSV)
        ledger_rows_csv(request, rows, &out);
    else
        ledger_rows_text(request, rows, &out);
    if (status == STATUS_OK && out.failed)
        status = diag_no_memory(diag);
    if (status == STATUS_OK)
        status = output_write_file(NULL, out.text, out.length, diag);
    text_buffer_fini(&out);
    return status;
}

static enum status run(void *context, const struct options_list *operands, struct diag *diag)
{
    const struct ledger_options *options = context;
    if (operands->count > 0)
        return diag_set(diag, STATUS_USAGE, "ledger takes no operands; see --help");
    struct arena arena = {0};
    struct ledger_request request = {0};
    struct ledger_rows rows = {0};
    enum status status = ledger_request_read(options, &arena, &request, diag);
    if (status == STATUS_OK)
        status = ledger_rows_compute(&request, &arena, &rows, diag);
    if (status == STATUS_OK)
        status = print(&request, &rows, (enum ledger_format)options->format, diag);
    arena_fini(&arena);
    return status;
}

enum status cmd_ledger(int argc, char **argv, struct diag *diag)
{
    static const char *const formats[] = {"text", "json", "csv", NULL};
    struct ledger_options o = {.format = LEDGER_TEXT};
    const struct options_row rows[] = {
        {.name = "parameters",
         .type = OPTIONS_TEXT,
         .argument = "COUNT",
         .help = "parameters of the model: 124475904, 7.5e9, 7.5B",
         .value = &o.parameters},
        {.name = "dtype",
         .type = OPTIONS_TEXT,
         .argument = "bf16|fp16|fp32",
         .help = "data type, for bytes per parameter",
         .value = &o.dtype},
        {.name = "parameter-mb",
         .type = OPTIONS_NUMBER,
         .argument = "P",
         .help = "or the totals: parameters,",
         .value = &o.parameter_mb,
         .given = &o.parameter_given},
        {.name = "gradient-mb",
         .type = OPTIONS_NUMBER,
         .argument = "G",
         .help = "gradients,",
         .value = &o.gradient_mb,
         .given = &o.gradient_given},
        {.name = "optimizer-mb",
         .type = OPTIONS_NUMBER,
         .argument = "O",
         .help = "and optimizer state",
         .value = &o.optimizer_mb,
         .given = &o.optimizer_given},
        {.name = "world-size",
         .type = OPTIONS_TEXT,
         .argument = "N[,N...]",
         .help = "numbers of ranks (needed)",
         .value = &o.world_size},
        {.name = "strategy",
         .type = OPTIONS_TEXT,
         .argument = "S",
         .help = "one strategy; otherwise all",
         .value = &o.strategy},
        {.name = "format",
         .type = OPTIONS_CHOICE,
         .argument = "text|json|csv",
         .help = "form of the output (text)",
         .value = &o.format,
         .choices = formats},
        {.name = "width",
         .type = OPTIONS_COUNT,
         .argument = "C",
         .minimum = 1,
         .maximum = 1e9,
         .help = "with these six also the temporary memory:",
         .value = &o.width,
         .given = &o.width_given},
        {.name = "layers",
         .type = OPTIONS_COUNT,
         .argument = "L",
         .minimum = 1,
         .maximum = 1e9,
         .help = "number of blocks",
         .value = &o.layers,
         .given = &o.layers_given},
        {.name = "heads",
         .type = OPTIONS_COUNT,
         .argument = "H",
         .minimum = 1,
         .maximum = 1e9,
         .help = "attention heads",
         .value = &o.heads,
         .given = &o.heads_given},
        {.name = "vocab",
         .type = OPTIONS_COUNT,
         .argument = "V",
         .minimum = 1,
         .maximum = 1e12,
         .help = "size of the vocabulary",
         .value = &o.vocab,
         .given = &o.vocab_given},
        {.name = "seq-len",
         .type = OPTIONS_COUNT,
         .argument = "T",
         .minimum = 1,
         .maximum = 1e12,
         .help = "tokens of a sequence",
         .value = &o.seq_len,
         .given = &o.seq_len_given},
        {.name = "micro-batch",
         .type = OPTIONS_COUNT,
         .argument = "B",
         .minimum = 1,
         .maximum = 1e12,
         .help = "sequences of a rank at a time",
         .value = &o.micro_batch,
         .given = &o.micro_batch_given},
        {.name = "bucket-mb",
         .type = OPTIONS_NUMBER,
         .argument = "MIB",
         .help = "gradient bucket (25)",
         .value = &o.bucket_mb,
         .given = &o.bucket_given},
        {.name = "prefetch",
         .type = OPTIONS_COUNT,
         .argument = "UNITS",
         .maximum = 1024,
         .help = "units gathered ahead: zero3, fsdp (1)",
         .value = &o.prefetch,
         .given = &o.prefetch_given},
        {.name = "activation-checkpointing",
         .type = OPTIONS_FLAG,
         .help = "recompute activations",
         .value = &o.checkpointing},
    };
    const struct options_command command = {
        .program = "rankledger",
        .name = "ledger",
        .operands = "",
        .summary = "Resident training state of one rank under each strategy, by formula. MiB.",
        .notes = "rankledger ledger --parameters 7.5e9 --dtype bf16 --world-size 1,4,16,64",
        .rows = rows,
        .row_count = sizeof rows / sizeof rows[0],
        .act = run,
        .context = &o,
    };
    return options_run(&command, argc, argv, diag);
}
