#ifndef RANKLEDGER_LEDGER_REQUEST_H
#define RANKLEDGER_LEDGER_REQUEST_H

#include "ledger_rows.h"

/* What the options say, before it is understood. */
struct ledger_options {
    double parameter_mb, gradient_mb, optimizer_mb;
    bool parameter_given, gradient_given, optimizer_given;
    const char *parameters, *dtype, *world_size, *strategy;
    int format;
    int64_t width, layers, heads, vocab, seq_len, micro_batch;
    bool width_given, layers_given, heads_given, vocab_given, seq_len_given, micro_batch_given;
    double bucket_mb;
    int64_t prefetch;
    bool bucket_given, prefetch_given, checkpointing;
};

/* Understands the options, or says in one line what to type (STATUS_USAGE). Lists live in the
 * arena, texts are the options'. */
enum status ledger_request_read(const struct ledger_options *options, struct arena *arena,
                                struct ledger_request *request, struct diag *diag) STATUS_CHECKED;

#endif
