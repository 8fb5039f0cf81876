#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json_write.h"
#include "ledger_rows.h"
#include "text.h"

#define MIB 1048576.0
#define MAX_COLUMNS 10
#define CELL 48

/* ---- text ---- */

/*
 * GB of 10^9 with three significant digits, two below 1, halves up: as ZeRO's table 1 prints them
 * (arXiv:1910.02054), which says 41.3 for 41.25 and 0.47 for 0.46875.
 */
static char *gigabytes(char *out, size_t capacity, double mib)
{
    double gb = mib * MIB / 1e9;
    int digits = gb < 1 ? 2 : 3;
    for (double bound = 1000; gb >= bound && digits < 15; bound *= 10)
        digits++;
    return text_number(out, capacity, gb * (1 + 1e-12), digits);
}

/* Two decimals, so that the points stand under each other; none where every value is whole. */
static char *mebibytes(char *out, size_t capacity, double mib, int decimals)
{
    char digits[CELL];
    if (mib > 0 && mib < 0.005) /* 0.00 would say that there is nothing */
        return text_number(out, capacity, mib, 3);
    int length = snprintf(digits, sizeof digits, "%.*f", decimals, mib);
    size_t whole = strcspn(digits, ".");
    size_t at = 0;
    if (length < 0 || (size_t)length >= sizeof digits || whole > 15)
        return text_number(out, capacity, mib, 15);
    for (size_t i = 0; digits[i] != '\0' && at + 2 < capacity; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

static bool all_whole(const struct ledger_request *request, const struct ledger_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct training_state_ledger *state = &rows->items[i].state;
        if (state->parameters != floor(state->parameters) ||
            state->gradients != floor(state->gradients) ||
            state->optimizer != floor(state->optimizer))
            return false;
    }
    return !request->with_temporary;
}

struct table {
    int decimals;
    char cells[MAX_COLUMNS][CELL];
    size_t columns;
};

static void add_cell(struct table *line, const char *text)
{
    snprintf(line->cells[line->columns++], CELL, "%s", text);
}

static void heading_cells(const struct ledger_request *request, struct table *line)
{
    add_cell(line, "strategy");
    add_cell(line, "ranks");
    add_cell(line, "parameters");
    add_cell(line, "gradients");
    add_cell(line, "optimizer");
    add_cell(line, "resident");
    if (request->by_model)
        add_cell(line, "GB (10^9)");
    if (request->with_temporary) {
        add_cell(line, "persistent");
        add_cell(line, "temporary");
        add_cell(line, "together");
    }
}

/* What zero3 keeps whole beside the formula's state; none: 0. */
static double persistent_mb(const struct ledger_row *row)
{
    return isnan(row->temporary.persistent_bytes) ? 0 : row->temporary.persistent_bytes / MIB;
}

static void row_cells(const struct ledger_request *request, const struct ledger_row *row,
                      struct table *line)
{
    char text[CELL];
    add_cell(line, training_state_row(row->strategy)->name);
    snprintf(text, sizeof text, "%" PRId64, row->world_size);
    add_cell(line, text);
    add_cell(line, mebibytes(text, sizeof text, row->state.parameters, line->decimals));
    add_cell(line, mebibytes(text, sizeof text, row->state.gradients, line->decimals));
    add_cell(line, mebibytes(text, sizeof text, row->state.optimizer, line->decimals));
    add_cell(line, mebibytes(text, sizeof text, row->state.resident, line->decimals));
    if (request->by_model)
        add_cell(line, gigabytes(text, sizeof text, row->state.resident));
    if (request->with_temporary) {
        double temporary_mb = row->temporary.total_bytes / MIB;
        double together_mb = row->state.resident + persistent_mb(row) + temporary_mb;
        add_cell(line, mebibytes(text, sizeof text, persistent_mb(row), line->decimals));
        add_cell(line, mebibytes(text, sizeof text, temporary_mb, line->decimals));
        add_cell(line, mebibytes(text, sizeof text, together_mb, line->decimals));
    }
}

/* The first column to the left, numbers to the right. */
static void put_line(const struct table *line, const size_t widths[MAX_COLUMNS],
                     struct text_buffer *out)
{
    for (size_t c = 0; c < line->columns; c++) {
        size_t pad = widths[c] - strlen(line->cells[c]);
        if (c > 0)
            text_buffer_fill(out, ' ', 2 + pad);
        text_buffer_puts(out, line->cells[c]);
        if (c == 0)
            text_buffer_fill(out, ' ', pad);
    }
    text_buffer_puts(out, "\n");
}

static void widen(const struct table *line, size_t widths[MAX_COLUMNS])
{
    for (size_t c = 0; c < line->columns; c++)
        if (strlen(line->cells[c]) > widths[c])
            widths[c] = strlen(line->cells[c]);
}

static void put_title(const struct ledger_request *request, struct text_buffer *out)
{
    char digits[CELL];
    text_buffer_puts(out, "Resident training state of one rank, MiB");
    if (request->by_model) {
        struct training_state_bytes plain = {0, 0, 0};
        struct training_state_bytes fsdp = {0, 0, 0};
        training_state_bytes_of_dtype(request->dtype, STRATEGY_DDP, &plain);
        training_state_bytes_of_dtype(request->dtype, STRATEGY_FSDP, &fsdp);
        text_buffer_printf(out, ": %s parameters, %s, %g + %g + %g bytes each",
                           text_number(digits, sizeof digits, request->parameters, 15),
                           request->dtype, plain.parameters, plain.gradients, plain.optimizer);
        if (fsdp.optimizer != plain.optimizer)
            text_buffer_printf(out, " (fsdp_full_shard %g + %g + %g)", fsdp.parameters,
                               fsdp.gradients, fsdp.optimizer);
    }
    text_buffer_puts(out, "\n\n");
}

/* The parts of the temporary memory, once a strategy, for the first world size: on the others they
 * differ by padding alone. */
static void put_temporary(const struct ledger_rows *rows, struct text_buffer *out)
{
    char digits[CELL];
    text_buffer_puts(out, "\nTemporary memory of the collector's schedule, MiB; its parts need not "
                          "stand at the same moment, so their sum is an upper bound:\n");
    for (size_t i = 0; i < rows->count && rows->items[i].world_size == rows->items[0].world_size;
         i++) {
        const struct ledger_row *row = &rows->items[i];
        text_buffer_printf(out, "  %s\n", training_state_row(row->strategy)->name);
        for (size_t a = 0; a < row->temporary.count; a++) {
            const struct temporary_memory_amount *amount = &row->temporary.amounts[a];
            text_buffer_printf(out, "    %-21s %14s  %s\n", amount->category,
                               mebibytes(digits, sizeof digits, amount->bytes / MIB, 2),
                               amount->text);
        }
    }
}

void ledger_rows_text(const struct ledger_request *request, const struct ledger_rows *rows,
                      struct text_buffer *out)
{
    size_t widths[MAX_COLUMNS] = {0};
    int decimals = all_whole(request, rows) ? 0 : 2;
    struct table heading = {.columns = 0};
    heading_cells(request, &heading);
    widen(&heading, widths);
    for (size_t i = 0; i < rows->count; i++) {
        struct table line = {.decimals = decimals};
        row_cells(request, &rows->items[i], &line);
        widen(&line, widths);
    }
    put_title(request, out);
    put_line(&heading, widths, out);
    for (size_t i = 0; i < rows->count; i++) {
        struct table line = {.decimals = decimals};
        row_cells(request, &rows->items[i], &line);
        if (i > 0 && request->strategy < 0 &&
            rows->items[i].world_size != rows->items[i - 1].world_size)
            text_buffer_puts(out, "\n");
        put_line(&line, widths, out);
    }
    if (request->with_temporary)
        put_temporary(rows, out);
}

/* ---- csv ---- */

/* RFC 4180: a field with a comma, a quote or a line end is quoted, quotes doubled. */
static void put_field(struct text_buffer *out, const char *text, bool first)
{
    if (!first)
        text_buffer_puts(out, ",");
    if (strpbrk(text, ",\"\r\n") == NULL) {
        text_buffer_puts(out, text);
        return;
    }
    text_buffer_puts(out, "\"");
    for (; *text != '\0'; text++) {
        if (*text == '"')
            text_buffer_puts(out, "\"");
        text_buffer_append(out, text, 1);
    }
    text_buffer_puts(out, "\"");
}

static void put_number(struct text_buffer *out, double value)
{
    char digits[CELL];
    put_field(out, text_number_exact(digits, sizeof digits, value), false);
}

void ledger_rows_csv(const struct ledger_request *request, const struct ledger_rows *rows,
                     struct text_buffer *out)
{
    text_buffer_puts(out, "strategy,world_size,parameter_per_rank_mb,gradient_per_rank_mb,"
                          "optimizer_per_rank_mb,resident_state_mb");
    text_buffer_puts(out,
                     request->with_temporary ? ",temporary_mb,persistent_parameters_mb\n" : "\n");
    for (size_t i = 0; i < rows->count; i++) {
        const struct ledger_row *row = &rows->items[i];
        char world_size[CELL];
        snprintf(world_size, sizeof world_size, "%" PRId64, row->world_size);
        put_field(out, training_state_row(row->strategy)->name, true);
        put_field(out, world_size, false);
        put_number(out, row->state.parameters);
        put_number(out, row->state.gradients);
        put_number(out, row->state.optimizer);
        put_number(out, row->state.resident);
        if (request->with_temporary) {
            put_number(out, row->temporary.total_bytes / MIB);
            put_number(out, persistent_mb(row));
        }
        text_buffer_puts(out, "\n");
    }
}

/* ---- json ---- */

static json_t *temporary_json(struct json_write *writer, const struct temporary_memory *temporary)
{
    json_t *object = json_write_object(writer);
    for (size_t a = 0; a < temporary->count; a++)
        json_write_set(writer, object, temporary->amounts[a].category,
                       json_write_real(writer, temporary->amounts[a].bytes / MIB));
    return object;
}

enum status ledger_rows_json(const struct ledger_request *request, const struct ledger_rows *rows,
                             struct text_buffer *out, struct diag *diag)
{
    struct json_write writer = {0};
    json_t *array = json_write_array(&writer);
    for (size_t i = 0; i < rows->count; i++) {
        const struct ledger_row *row = &rows->items[i];
        json_t *object = json_write_object(&writer);
        const struct {
            const char *key;
            double value;
        } numbers[] = {
            {"parameter_per_rank_mb", row->state.parameters},
            {"gradient_per_rank_mb", row->state.gradients},
            {"optimizer_per_rank_mb", row->state.optimizer},
            {"resident_state_mb", row->state.resident},
        };
        json_write_set(&writer, object, "strategy",
                       json_write_string(&writer, training_state_row(row->strategy)->name));
        json_write_set(&writer, object, "world_size", json_write_integer(&writer, row->world_size));
        for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++)
            json_write_set(&writer, object, numbers[n].key,
                           json_write_real(&writer, numbers[n].value));
        if (request->with_temporary) {
            json_write_set(&writer, object, "temporary_mb",
                           json_write_real(&writer, row->temporary.total_bytes / MIB));
            json_write_set(&writer, object, "temporary_by_category_mb",
                           temporary_json(&writer, &row->temporary));
            json_write_set(&writer, object, "persistent_parameters_mb",
                           json_write_real(&writer, persistent_mb(row)));
        }
        json_write_append(&writer, array, object);
    }
    enum status status = json_write_text(&writer, array, out, diag);
    json_decref(array);
    return status;
}
