#ifndef RANKLEDGER_LEDGER_ROWS_H
#define RANKLEDGER_LEDGER_ROWS_H

#include "arena.h"
#include "temporary_memory.h"
#include "text_buffer.h"
#include "training_state.h"

/* What `rankledger ledger` was asked. */
struct ledger_request {
    bool by_model;                      /* from --parameters and --dtype; else from three totals */
    struct training_state_bytes totals; /* MiB, when not by model */
    double parameters;
    const char *dtype;
    const int64_t *world_sizes;
    size_t world_size_count;
    int strategy; /* enum strategy, or -1: all */
    bool with_temporary;
    struct temporary_memory_shape shape; /* the shape letters alone; types follow from dtype */
};

struct ledger_row {
    enum strategy strategy;
    int64_t world_size;
    struct training_state_ledger state; /* MiB */
    struct temporary_memory temporary;  /* bytes; only with a shape */
};

struct ledger_rows {
    struct ledger_row *items; /* by world size as given, then by strategy */
    size_t count;
};

enum status ledger_rows_compute(const struct ledger_request *request, struct arena *arena,
                                struct ledger_rows *rows, struct diag *diag) STATUS_CHECKED;

/* The three forms of output, appended to `out`. */
void ledger_rows_text(const struct ledger_request *request, const struct ledger_rows *rows,
                      struct text_buffer *out);
void ledger_rows_csv(const struct ledger_request *request, const struct ledger_rows *rows,
                     struct text_buffer *out);
enum status ledger_rows_json(const struct ledger_request *request, const struct ledger_rows *rows,
                             struct text_buffer *out, struct diag *diag) STATUS_CHECKED;

#endif
