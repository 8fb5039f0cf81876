#ifndef RANKLEDGER_JSON_WRITE_MARK_H
#define RANKLEDGER_JSON_WRITE_MARK_H

/*
 * Private to json_write*.c. In the tree a string that begins with the mark, a control character, is
 * one of ours: the next byte says whether a number's digits follow or a string that itself began
 * with the mark. So every string of the input, however hostile, comes out as it went in. Keys are
 * never marked.
 */
#define JSON_WRITE_MARK '\x01'
#define JSON_WRITE_MARK_NUMBER 'N'
#define JSON_WRITE_MARK_STRING 'S'
#define JSON_WRITE_MARK_DUMPED "\\u0001" /* the mark in jansson's output */

#endif
