#ifndef RANKLEDGER_PDF_CATALOG_H
#define RANKLEDGER_PDF_CATALOG_H

#include "diag.h"
#include "text_buffer.h"

/*
 * Adds entries to the catalog of a finished PDF document (PDF 32000-1:2008, 7.7.2), for what the
 * drawing library cannot say: "/Lang (en)". The catalog must be the document's last object, before
 * a cross-reference table, as Cairo writes it; STATUS_ENVIRONMENT if it is not, or if memory is
 * exhausted. Nothing but the catalog and the place of the table changes.
 */
enum status pdf_catalog_extend(struct text_buffer *document, const char *entries,
                               struct diag *diag) STATUS_CHECKED;

#endif
