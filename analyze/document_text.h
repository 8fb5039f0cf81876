#ifndef RANKLEDGER_DOCUMENT_TEXT_H
#define RANKLEDGER_DOCUMENT_TEXT_H

#include "input_stream.h"

/*
 * A file's text in pieces: files of one record a line come some whole lines at a time, so that
 * memory does not grow with the file, and everything else whole.
 *
 * Lines are what the name says they are: .jsonl and .ndjson, also with .gz behind; .json is one
 * document. Any other name (standard input has none) leaves it to the content: lines, if the first
 * one that is not blank is a whole JSON value and something follows it. UTF-16 is never lines.
 */
struct document_text {
    struct input_stream stream;
    struct diag opened;        /* the reason if the file could not be opened */
    size_t limit;              /* bytes of a line, or of a whole document */
    struct input_buffer carry; /* the beginning of a line whose end is in the next piece */
    size_t lines;              /* before the next piece */
    bool decided, is_lines;
    bool found;    /* a line that is not blank */
    bool skipping; /* the rest of a line that is too long */
    bool done;     /* the last piece was given */
};

enum document_piece_kind {
    DOCUMENT_PIECE_WHOLE, /* one document */
    DOCUMENT_PIECE_LINES
};

/* Lent by the caller, who uses it for piece after piece; zeroed is ready, always
 * document_piece_fini. */
struct document_piece {
    struct input_buffer bytes;
    enum document_piece_kind kind;
    size_t first_line;      /* lines of the file before it */
    enum input_fault fault; /* what keeps the text behind `bytes` from being read, or none */
    int error_number;       /* of INPUT_FAULT_UNREADABLE */
    size_t fault_line;      /* of the line where that is; 0: nothing could be read */
    char reason[512];       /* without the file's name */
};

/* What the name says of the content. */
enum document_text_name { DOCUMENT_TEXT_JSON, DOCUMENT_TEXT_LINES, DOCUMENT_TEXT_OTHER };
enum document_text_name document_text_name(const char *path);

/* Whether a text that is there as a whole, of a file whose name says what it is, has one document a
 * line. Blank lines alone are one empty document. */
bool document_text_is_lines(const char *path, const char *text, size_t size);

/* Opens the file; what keeps it from being read comes with the first piece. */
void document_text_open(struct document_text *text, const char *path, size_t limit);

/* Reads the next piece; false in *more when there is none. STATUS_ENVIRONMENT only. */
enum status document_text_next(struct document_text *text, struct document_piece *piece, bool *more,
                               struct diag *diag) STATUS_CHECKED;

/* Closes the file and keeps what can serve the next one. */
void document_text_close(struct document_text *text);
void document_text_fini(struct document_text *text);
void document_piece_fini(struct document_piece *piece);

#endif
