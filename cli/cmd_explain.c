#include "cmd_explain.h"

#include <stdio.h>
#include <string.h>

#include "analysis_options.h"
#include "explanation.h"
#include "options.h"
#include "output.h"
#include "text.h"

#define ROW_COUNT 2

enum explain_format { FORMAT_TEXT, FORMAT_JSON };

struct settings {
    struct analysis_arguments arguments; /* of which --group is offered */
    int format;
};

static void fill_rows(struct settings *settings, struct options_row rows[ROW_COUNT])
{
    static const char *const formats[] = {"text", "json", NULL};
    const struct options_row all[ROW_COUNT] = {
        {"format", OPTIONS_CHOICE, "FORMAT", "text|json", &settings->format, NULL, 0, 0, formats},
        {"group", OPTIONS_LIST, "KEY=VALUE", "of several groups only those with that value",
         &settings->arguments.group, NULL, 0, 0, NULL},
    };
    memcpy(rows, all, sizeof all);
}

/* Several groups, or several settings of one strategy, stand one after another. */
static void put_item(struct text_buffer *out, const struct explanation_item *item, bool several)
{
    static const char *const titles[EXPLANATION_KIND_COUNT] = {
        [EXPLANATION_GATE] = "Gates",
        [EXPLANATION_AGAINST] = "Beside the one that ranks first",
        [EXPLANATION_CHANGE] = "What would change it",
        [EXPLANATION_NOTE] = "Notes",
    };
    int before = -1;
    if (several) {
        text_redact(out, item->group->label, strlen(item->group->label));
        text_buffer_puts(out, "\n");
    }
    for (size_t i = 0; i < item->count; i++) {
        const struct explanation_sentence *sentence = &item->sentences[i];
        const char *title = titles[sentence->kind];
        if (sentence->kind == EXPLANATION_AGAINST && strcmp(item->verdict, "chosen") == 0)
            title = "Beside the one that ranks second";
        if (title != NULL && (int)sentence->kind != before)
            text_buffer_printf(out, "%s:\n", title);
        text_buffer_puts(out, title != NULL ? "  - " : "");
        text_redact(out, sentence->message.text, strlen(sentence->message.text));
        text_buffer_puts(out, "\n");
        before = (int)sentence->kind;
    }
}

static enum status print(const struct explanation *explanation, struct text_buffer *out,
                         struct diag *diag)
{
    for (size_t i = 0; i < explanation->count; i++) {
        text_buffer_puts(out, i > 0 ? "\n" : "");
        put_item(out, &explanation->items[i], explanation->side.group_count > 1);
    }
    text_log_tame(out);
    return out->failed ? diag_no_memory(diag) : STATUS_OK;
}

static enum status explain(void *context, const struct options_list *operands, struct diag *diag)
{
    const struct settings *settings = context;
    if (operands->count != 2)
        return diag_set(diag, STATUS_USAGE,
                        "explain takes a summary and a strategy: type rankledger explain "
                        "summary.json zero2");
    struct arena arena = {0};
    struct explanation explanation = {0};
    struct analysis_options options;
    struct text_buffer text = {0};
    struct explanation_request request = {.path = operands->values[0],
                                          .strategy = operands->values[1]};
    enum status status = analysis_options_resolve(&settings->arguments, &arena, &options, diag);
    if (status == STATUS_OK) {
        request.filters = options.filters;
        request.filter_count = options.filter_count;
        status = explanation_make(&explanation, &request, diag);
    }
    if (status == STATUS_OK)
        status = settings->format == FORMAT_JSON ? explanation_write(&explanation, &text, diag)
                                                 : print(&explanation, &text, diag);
    if (status == STATUS_OK)
        status = output_write_file(NULL, text.text, text.length, diag);
    text_buffer_fini(&text);
    explanation_fini(&explanation);
    arena_fini(&arena);
    return status;
}

enum status cmd_explain(int argc, char **argv, struct diag *diag)
{
    struct settings settings = {0};
    struct options_row rows[ROW_COUNT];
    fill_rows(&settings, rows);
    const struct options_command command = {
        .program = "rankledger",
        .name = "explain",
        .operands = "SUMMARY STRATEGY",
        .summary = "Says why a strategy was chosen or was not, with the margins.",
        .notes =
            "STRATEGY is a name (zero2) or a candidate of it (\"zero2, micro-batch 16\"). The\n"
            "summary is enough; its sources are not read.\n"
            "exit codes: 0 explained, 2 usage, 3 no summary, or it has no such strategy",
        .rows = rows,
        .row_count = ROW_COUNT,
        .act = explain,
        .context = &settings,
    };
    return options_run(&command, argc, argv, diag);
}
