#include "import_nccl_table.h"

#include <math.h>
#include <string.h>

/* Other lines (NCCL's own, a launcher's) may stand in the middle of a row, since a row is printed
 * in three parts. */

enum { GROUP = 4 }; /* time, algbw, busbw, #wrong */

static const struct import_nccl_layout usual = {.base = 5,
                                                .size = 0,
                                                .type = 2,
                                                .redop = 3,
                                                .root = 4,
                                                .group = {5, 9},
                                                .per_ms = 1e3,
                                                .out_first = true,
                                                .has_wrong = true};

/* ---- Words ---- */

static bool next_word(struct import_span *rest, struct import_span *word)
{
    while (rest->length > 0 && strchr(" \t,|", rest->text[0]) != NULL)
        *rest = (struct import_span){rest->text + 1, rest->length - 1, rest->cut};
    size_t length = 0;
    while (length < rest->length && strchr(" \t,|", rest->text[length]) == NULL)
        length++;
    if (length == 0)
        return false;
    *word = (struct import_span){rest->text, length, rest->cut && length == rest->length};
    *rest = (struct import_span){rest->text + length, rest->length - length, rest->cut};
    return true;
}

static bool is_number(struct import_span word, double *value)
{
    return import_scan_number(&word, value) && word.length == 0;
}

/* A number or what stands for one. */
static bool is_cell(struct import_span word)
{
    double value = 0;
    return is_number(word, &value) || import_scan_is(&word, "N/A");
}

/* Bytes; some wrappers print 32K or 1M, as the programs' own -b takes it: powers of 1024. */
static bool is_size(struct import_span word, double *bytes)
{
    static const char units[] = "KMGT";
    double value = 0;
    if (!import_scan_number(&word, &value) || !(value >= 0) || !isfinite(value))
        return false;
    for (size_t i = 0; word.length > 0 && i < sizeof units - 1; i++) {
        if (word.text[0] != units[i] && word.text[0] != units[i] - 'A' + 'a')
            continue;
        word = (struct import_span){word.text + 1, word.length - 1, word.cut};
        value *= pow(1024, (double)i + 1);
        if (import_scan_is(&word, "B") || import_scan_is(&word, "iB"))
            word.length = 0;
        break;
    }
    *bytes = value;
    return word.length == 0;
}

/* ---- Header ---- */

static bool is_time(struct import_span word)
{
    return import_scan_is(&word, "time") || import_scan_is(&word, "cputime");
}

static void note_column(struct import_nccl_layout *layout, struct import_span word, size_t number,
                        size_t at)
{
    if (import_scan_is(&word, "size") || import_scan_is(&word, "bytes"))
        layout->size = number;
    else if (import_scan_is(&word, "type"))
        layout->type = number;
    else if (import_scan_is(&word, "redop") || import_scan_is(&word, "op"))
        layout->redop = number;
    else if (import_scan_is(&word, "root"))
        layout->root = number;
    else if (import_scan_is(&word, "#wrong"))
        layout->has_wrong = true;
    else if (is_time(word)) {
        int place = layout->group[0] == IMPORT_NCCL_WORDS ? 0 : 1;
        layout->cpu_time = layout->cpu_time || import_scan_is(&word, "cputime");
        layout->group[place] = number;
        layout->place_at[place] = at + word.length;
        if (place == 0)
            layout->base = number;
    }
}

/* "#       size         count      type   redop    root     time   algbw   busbw #wrong ..." */
static bool parse_header(const struct import_line *line, struct import_nccl_layout *layout)
{
    struct import_span rest = line->span;
    struct import_span word;
    double rank = 0;
    *layout = (struct import_nccl_layout){
        .size = IMPORT_NCCL_WORDS,
        .type = IMPORT_NCCL_WORDS,
        .redop = IMPORT_NCCL_WORDS,
        .root = IMPORT_NCCL_WORDS,
        .group = {IMPORT_NCCL_WORDS, IMPORT_NCCL_WORDS},
        .per_ms = 1e3,
    };
    import_scan_rank(&rest, &rank);
    import_scan_skip(&rest, "#");
    const char *begin = rest.text;
    for (size_t number = 0; number < IMPORT_NCCL_WORDS && next_word(&rest, &word); number++) {
        if (import_scan_is(&word, "bytes"))
            layout->per_ms = 1; /* the programs that called it bytes told milliseconds */
        note_column(layout, word, number, (size_t)(word.text - begin));
    }
    return layout->size == 0 && layout->group[0] != IMPORT_NCCL_WORDS;
}

bool import_nccl_table_is_header(const struct import_line *line)
{
    struct import_nccl_layout layout;
    return parse_header(line, &layout);
}

static bool read_header(struct import_nccl_table *table, const struct import_line *line)
{
    struct import_nccl_layout layout;
    if (!parse_header(line, &layout))
        return false;
    import_nccl_table_finish(table);
    layout.out_first = table->layout.out_first;
    table->layout = layout;
    table->seen = true;
    return true;
}

/* The line above says which comes first, the line below what the unit of time is. */
static bool read_around_header(struct import_nccl_table *table, const struct import_line *line)
{
    struct import_span out = line->span;
    struct import_span in = line->span;
    if (import_scan_find(&out, "out-of-place") && import_scan_find(&in, "in-place"))
        table->layout.out_first = out.text < in.text;
    struct import_span unit = line->span;
    if (!table->seen || !import_scan_find(&unit, "(GB/s)"))
        return false;
    struct import_span ms = line->span;
    struct import_span us = line->span;
    if (import_scan_find(&ms, "(ms)"))
        table->layout.per_ms = 1;
    else if (import_scan_find(&us, "(us)"))
        table->layout.per_ms = 1e3;
    return true;
}

/* ---- Rows ---- */

/* The four columns that begin at `at`; false if one is no cell. */
static bool read_group(const struct import_nccl_table *table, size_t at,
                       struct import_nccl_rate *rate)
{
    const struct import_nccl_words *row = &table->row;
    double cells[GROUP] = {NAN, NAN, NAN, NAN};
    for (size_t i = 0; i < GROUP; i++)
        if (at + i >= row->count || !is_cell(row->items[at + i]))
            return false;
    for (size_t i = 0; i < GROUP; i++)
        if (!is_number(row->items[at + i], &cells[i]) || !isfinite(cells[i]) || cells[i] < 0)
            cells[i] = NAN;
    rate->ms = cells[0] > 0 && !table->layout.cpu_time ? cells[0] / table->layout.per_ms : NAN;
    rate->algbw = cells[1];
    rate->busbw = cells[2];
    rate->wrong = table->layout.has_wrong ? cells[3] : NAN;
    return true;
}

/* Which of the two a lone group is: the one under whose "time" it stands. */
static int place_of_lone(const struct import_nccl_table *table)
{
    const struct import_nccl_layout *layout = &table->layout;
    const struct import_span *first = &table->row.items[layout->base];
    size_t end = (size_t)(first->text + first->length - table->row.items[0].text);
    if (layout->group[1] == IMPORT_NCCL_WORDS || table->row.broken)
        return 0;
    /* The first column ends where the header's name does, give or take a long number. */
    size_t between = (layout->place_at[1] - layout->place_at[0]) * 3 / 4;
    return end > layout->place_at[0] + between - table->row.items[0].length ? 1 : 0;
}

static struct import_span column(const struct import_nccl_table *table, size_t number)
{
    return number < table->layout.base && number < table->row.count
               ? table->row.items[number]
               : (struct import_span){"", 0, false};
}

static void drop_row(struct import_nccl_table *table)
{
    if (table->run->incomplete++ == 0)
        table->run->incomplete_line = table->row.line;
    table->row.count = 0;
}

/* Takes the row that its words make, if they do. */
void import_nccl_table_finish(struct import_nccl_table *table)
{
    const struct import_nccl_layout *layout = &table->layout;
    struct import_nccl_rate rates[IMPORT_NCCL_PLACES] = {{NAN, NAN, NAN, NAN},
                                                         {NAN, NAN, NAN, NAN}};
    double bytes = NAN;
    if (table->row.count == 0)
        return;
    bool both =
        layout->group[1] != IMPORT_NCCL_WORDS && read_group(table, layout->group[1], &rates[1]);
    if (!read_group(table, layout->base, &rates[0]) || !is_size(column(table, 0), &bytes)) {
        drop_row(table);
        return;
    }
    if (!both && place_of_lone(table) == 1) {
        rates[1] = rates[0];
        rates[0] = (struct import_nccl_rate){NAN, NAN, NAN, NAN};
    }
    struct import_nccl_row *row = import_nccl_add_row(table->run);
    if (row == NULL)
        return;
    row->bytes = bytes;
    row->type = column(table, layout->type);
    row->redop = column(table, layout->redop);
    struct import_span root = column(table, layout->root);
    if (!is_number(root, &row->root))
        row->root = NAN;
    row->place[layout->out_first ? IMPORT_NCCL_OUT_OF_PLACE : IMPORT_NCCL_IN_PLACE] = rates[0];
    row->place[layout->out_first ? IMPORT_NCCL_IN_PLACE : IMPORT_NCCL_OUT_OF_PLACE] = rates[1];
    row->line = table->row.line;
    table->run->cpu_time = table->run->cpu_time || layout->cpu_time;
    table->row.count = 0;
}

/* Whether the next word is the last of the four that are printed at once. */
static bool is_last_of_group(const struct import_nccl_table *table)
{
    for (int place = 0; place < IMPORT_NCCL_PLACES; place++)
        if (table->row.count + 1 == table->layout.group[place] + GROUP)
            return true;
    return false;
}

/* Appends words as long as they are cells; what comes behind was printed by somebody else. A line
 * that was printed into the row begins right behind its last cell ("0node-3:4711"), whose end is
 * then not known. */
static void append_cells(struct import_nccl_table *table, struct import_span rest)
{
    static const struct import_span unknown = {"N/A", 3, false};
    struct import_span word;
    while (table->row.count < IMPORT_NCCL_WORDS && next_word(&rest, &word)) {
        bool cell = is_cell(word);
        if (!cell && !word.cut && is_last_of_group(table))
            table->row.items[table->row.count++] = unknown;
        if (!cell) {
            table->row.broken = true;
            return;
        }
        table->row.items[table->row.count++] = word;
    }
}

/* Whether the row lacks columns that the header has. */
static bool is_short(const struct import_nccl_table *table)
{
    const struct import_nccl_layout *layout = &table->layout;
    size_t last = layout->group[1] != IMPORT_NCCL_WORDS ? layout->group[1] : layout->group[0];
    return table->row.count < last + GROUP;
}

/* Without a header a row is known by its type alone. */
static bool is_type(struct import_span word)
{
    static const char *const types[] = {
        "int8",     "uint8",  "int32", "uint32", "int64",    "uint64",   "half",   "float",
        "bfloat16", "double", "char",  "int",    "fp8_e4m3", "fp8_e5m2", "f8e4m3", "f8e5m2"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (import_scan_is(&word, types[i]))
            return true;
    return false;
}

/* "   32768   8192   float   sum   -1 ...": size, count, a type that is a word. */
static bool begin_row(struct import_nccl_table *table, const struct import_line *line)
{
    struct import_nccl_words words = {.line = line->number};
    struct import_span rest = line->span;
    struct import_span word;
    double rank = 0;
    double value = 0;
    import_scan_rank(&rest, &rank);
    import_scan_skip(&rest, "#"); /* a row may be commented out as a whole */
    while (words.count < table->layout.base && next_word(&rest, &word))
        words.items[words.count++] = word;
    if (words.count < table->layout.base || words.count < 2 || !is_size(words.items[0], &value) ||
        !is_size(words.items[1], &value))
        return false;
    struct import_span ahead = rest;
    if (table->layout.type != IMPORT_NCCL_WORDS && is_cell(words.items[table->layout.type]))
        return false;
    if (!table->seen &&
        (!is_type(words.items[table->layout.type]) || !next_word(&ahead, &word) || !is_cell(word)))
        return false;
    import_nccl_table_finish(table); /* the one before it */
    table->row = words;
    append_cells(table, rest);
    if (!is_short(table) || !table->row.broken)
        import_nccl_table_finish(table);
    return true;
}

/* The rest of a row into which another line was printed. */
static bool continue_row(struct import_nccl_table *table, const struct import_line *line)
{
    struct import_span rest = line->span;
    struct import_span word;
    double rank = 0;
    if (table->row.count == 0)
        return false;
    import_scan_rank(&rest, &rank);
    struct import_span ahead = rest;
    if (!next_word(&ahead, &word) || !is_cell(word))
        return false;
    append_cells(table, rest);
    if (!is_short(table))
        import_nccl_table_finish(table);
    return true;
}

/* ---- The whole ---- */

void import_nccl_table_init(struct import_nccl_table *table, struct import_nccl_run *run)
{
    *table = (struct import_nccl_table){.run = run, .layout = usual};
}

bool import_nccl_table_line(struct import_nccl_table *table, const struct import_line *line)
{
    return read_header(table, line) || read_around_header(table, line) || begin_row(table, line) ||
           continue_row(table, line);
}
