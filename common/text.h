#ifndef RANKLEDGER_TEXT_H
#define RANKLEDGER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text_buffer.h"

/*
 * Text from input on its way to a terminal, a report or a message. UTF-8 throughout; nothing
 * depends on the locale.
 */

/*
 * Appends `length` bytes made safe to print on one line: control characters (C0, DEL, C1),
 * bidirectional overrides, line and paragraph separators, the 66 noncharacters (U+FDD0 to U+FDEF,
 * U+FFFE, U+FFFF, U+1FFFE, ...) and invalid UTF-8 bytes become \n, \t, \x1b, \u202e, ...; a backslash stays.
 * Everything else is kept. A byte is written \xHH, a code point above U+007F \uHHHH.
 */
void text_escape(struct text_buffer *out, const char *text, size_t length);

/* The same into a fixed array, cut with "..." on a code point border; returns `out`. */
char *text_escape_into(char *out, size_t capacity, const char *text, size_t length);

/* Appends `text` as one word of a POSIX shell: as it is, or in single quotes. */
void text_quote(struct text_buffer *out, const char *text);

/*
 * As text_escape, and user names in paths are replaced: /home/NAME/, /Users/NAME/, C:\Users\NAME\
 * become /home/<user>/ and so on. For texts of other producers (failure reasons, sources).
 */
void text_redact(struct text_buffer *out, const char *text, size_t length);

/*
 * Rewrites printed lines, in which names from files stand, so that GitHub's runner takes none for a
 * command: of "::" at the beginning of a line, after white space too, and of "##[" anywhere one
 * character becomes \x3a, \x5b.
 */
void text_log_tame(struct text_buffer *lines);

/* Appends a part of a line with "##[" alone rewritten so. */
void text_log_append(struct text_buffer *out, const char *text, size_t length);

/* Length in bytes of the valid UTF-8 sequence at `text` (at most `length`), 0 if invalid; the
 * code point in *code. */
size_t text_decode(const char *text, size_t length, uint32_t *code);

/* Terminal columns of a text: East Asian wide 2, combining marks and controls 0, others (an invalid
 * byte too) 1. */
size_t text_width(const char *text, size_t length);

/* The widest of the words between blanks: the width of what cannot be wrapped. */
size_t text_width_of_word(const char *text);

/* Bytes of the longest prefix (on a code point border) that takes at most `columns` columns. */
size_t text_prefix(const char *text, size_t length, size_t columns);

/* Number of UTF-16 units (an invalid byte counts as one); bytes of the longest prefix of at most
 * `units` UTF-16 units. */
size_t text_utf16_units(const char *text, size_t length);
size_t text_utf16_prefix(const char *text, size_t length, size_t units);

/*
 * Numbers as a reader sees them, with `digits` significant digits, thousands separated by ","
 * in the integer part, no exponent between 1e-4 and 1e15, trailing zeros after the point dropped:
 * 456000 -> "456,000", 15258.789 (7) -> "15,258.79", 0.22 -> "0.22". NaN gives "n/a", infinities
 * "inf" and "-inf"; 40 bytes always suffice. Returns `out`.
 */
char *text_number(char *out, size_t capacity, double value, int digits);

/*
 * The one rule for numbers in sentences and in the tables of a terminal or a Markdown file: one
 * decimal, and as many more as make three significant digits, of a percentage two: 15258.789 ->
 * "15,258.8", 4.82788 -> "4.83", as a percentage "4.8"; 0.0312 stays. `more` adds decimals.
 */
enum text_rounding { TEXT_ROUNDED_PLAIN, TEXT_ROUNDED_PERCENT };
char *text_rounded(char *out, size_t capacity, double value, enum text_rounding rounding, int more);

/* The same, rounded toward `beyond` alone: for a limit that must still hold as it is read. With as
 * many decimals more as it takes not to reach `beyond`, where something else would hold; INFINITY
 * or -INFINITY where there is nothing. */
char *text_rounded_toward(char *out, size_t capacity, double value, enum text_rounding rounding,
                          double beyond);

/* The fewest decimals more with which no two different values (NAN: none) of one sentence look
 * alike; of values that no decimals tell apart, the most that are shown. */
int text_rounded_apart(const double *values, size_t count, enum text_rounding rounding);

/*
 * The shortest decimal that reads back as the same double ("0.1", "456000", "1e+20"), valid as a
 * JSON number; an integral value below 2^53 has no exponent, and -0 is written 0. Not finite as in
 * text_number. 32 bytes always suffice. Returns `out`.
 */
char *text_number_exact(char *out, size_t capacity, double value);

/* Reads a whole text as a finite decimal number: optional sign, digits, point, exponent, nothing
 * else (no "nan", no hexadecimal, no white space). False, and *value untouched, otherwise. */
bool text_parse_number(const char *text, double *value);

/* Edit distance (insertions, deletions, substitutions), for "did you mean"; texts over 64 bytes
 * give a large number. */
size_t text_distance(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
