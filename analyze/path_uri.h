#ifndef RANKLEDGER_PATH_URI_H
#define RANKLEDGER_PATH_URI_H

#include <stdbool.h>

#include "text_buffer.h"

/*
 * Appends the path (any bytes) from the working directory's point of view: relative if it is there
 * or below ("./" for the directory itself), else absolute. ".", ".." and empty segments are taken
 * out, as every reader of a URI may do; the "/" at the end of a directory stays. True: relative. A
 * text_buffer's `failed` is set if the working directory is not known where it is needed.
 */
bool path_uri_below(struct text_buffer *out, const char *path);

/*
 * The same as a URI reference of RFC 3986: "runs/a%20b.json" or "file:///...". All bytes but
 * unreserved characters and "/" are percent-encoded.
 */
bool path_uri_append(struct text_buffer *out, const char *path);

#endif
