#include "text.h"

#include <string.h>
#include <strings.h>

/* A profile folder longer than this does not occur; bounds the look-ahead for names with spaces. */
#define LONGEST_NAME_WITH_SPACES 64

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

/* Bytes of a run of separators: one, or several where a path was escaped for JSON or joined badly.
 */
static size_t separators(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && is_separator(text[count]))
        count++;
    return count;
}

/* Length of a folder name that holds users' folders, at the start of `text`; 0 if it is none. */
static size_t users_folder(const char *text, size_t length)
{
    if (length >= 4 && strncasecmp(text, "home", 4) == 0)
        return 4;
    if (length >= 5 && strncasecmp(text, "users", 5) == 0)
        return 5;
    return 0;
}

/* What ends a name in running text: controls, ASCII punctuation that no name has, and punctuation
 * of other scripts (general and CJK punctuation, full-width forms). */
static bool ends_name(uint32_t code)
{
    if (code < 0x80)
        return code < 0x20 || code == 0x7F || strchr("\"'`<>|:;,*?!()[]{}=&#", (int)code) != NULL;
    return code <= 0xA0 || (code >= 0x2000 && code <= 0x206F) ||
           (code >= 0x3000 && code <= 0x303F) || (code >= 0xFF00 && code <= 0xFF0F) ||
           (code >= 0xFF1A && code <= 0xFF20);
}

/*
 * Bytes of the user's name at `text`. With `spaces` (a Windows path) a name may contain blanks, if
 * a separator follows soon: "John Smith\x" is one name, "carol: no" and "carol says" are not.
 */
static size_t name_length(const char *text, size_t length, bool spaces)
{
    size_t name = 0; /* up to the first blank or the end of the name */
    bool blank = false;
    size_t i = 0;
    while (i < length && !(blank && i > LONGEST_NAME_WITH_SPACES)) {
        uint32_t code = 0;
        size_t size = text_decode(text + i, length - i, &code);
        if (size == 1 && is_separator((char)code)) {
            if (blank)
                return i;
            break;
        }
        if (size > 0 && ends_name(code))
            break;
        if (code == ' ' && size == 1) {
            if (!spaces)
                break;
            blank = true;
        }
        i += size > 0 ? size : 1;
        if (!blank)
            name = i;
    }
    /* A full stop at the end belongs to the sentence; "." and ".." are no names. */
    while (name > 0 && text[name - 1] == '.')
        name--;
    return name;
}

/*
 * If a path of users' folders starts at `text` (on a run of separators), returns the bytes before
 * the name and sets *name to the bytes of the name; otherwise returns 0.
 */
static size_t find_name(const char *text, size_t length, bool after_drive, size_t *name)
{
    size_t before = separators(text, length);
    size_t folder = users_folder(text + before, length - before);
    size_t after = separators(text + before + folder, length - before - folder);
    if (folder == 0 || after == 0)
        return 0;
    size_t start = before + folder + after;
    bool windows = after_drive || text[0] == '\\';
    *name = name_length(text + start, length - start, windows);
    return *name > 0 ? start : 0;
}

void text_redact(struct text_buffer *out, const char *text, size_t length)
{
    size_t kept = 0; /* start of what is not yet written */
    size_t i = 0;
    while (i < length) {
        if (!is_separator(text[i])) {
            i++;
            continue;
        }
        size_t name = 0;
        size_t start = find_name(text + i, length - i, i > 0 && text[i - 1] == ':', &name);
        if (start == 0) {
            i += separators(text + i, length - i);
            continue;
        }
        text_escape(out, text + kept, i + start - kept);
        text_buffer_puts(out, "<user>");
        i += start + name;
        kept = i;
    }
    text_escape(out, text + kept, length - kept);
}
