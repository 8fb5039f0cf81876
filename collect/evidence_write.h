#ifndef RANKLEDGER_EVIDENCE_WRITE_H
#define RANKLEDGER_EVIDENCE_WRITE_H

#include "evidence_source.h"
#include "text_buffer.h"

/* One strategy's evidence (rankledger.evidence/1) as text. STATUS_ENVIRONMENT without memory. */
enum status evidence_write_text(const struct evidence_source *source, struct text_buffer *out,
                                struct diag *diag) STATUS_CHECKED;

/*
 * The same to `path`: the file appears whole or not at all. Without `force` it never replaces one
 * that appeared meanwhile: then the evidence goes to a file beside it, whose name no reader of
 * evidence takes for one, and STATUS_ENVIRONMENT says where it is.
 */
enum status evidence_write(const struct evidence_source *source, const char *path, bool force,
                           struct diag *diag) STATUS_CHECKED;

#endif
