#include "run_results.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "evidence_metrics.h"
#include "evidence_write.h"
#include "text.h"

void run_results_begin(struct evidence_run *run)
{
    unsigned char bytes[16] = {0};
    struct tm parts;
    time_t now = time(NULL);
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        memcpy(bytes, &now, sizeof now);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(run->id + 2 * i, 3, "%02x", bytes[i]);
    if (gmtime_r(&now, &parts) != NULL)
        strftime(run->started_utc, sizeof run->started_utc, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

enum status run_results_init(struct run_results *results, const struct run_config *config,
                             uint64_t threads, struct diag *diag)
{
    results->config = config;
    for (int i = 0; i < STRATEGY_COUNT; i++) {
        struct run_result *result = &results->of[i];
        if (!config->strategies[i])
            continue;
        result->asked = true;
        result->failure = (struct rank_failure){.rank = -1, .step = -1};
        result->boards = calloc(config->rounds, sizeof *result->boards);
        if (result->boards == NULL)
            return diag_no_memory(diag);
        enum status status =
            run_plan_make(config, (enum strategy)i, threads, &results->arena, &result->plan, diag);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

void run_results_fini(struct run_results *results)
{
    for (int i = 0; i < STRATEGY_COUNT; i++) {
        struct run_result *result = &results->of[i];
        for (size_t round = 0; round < result->round_count; round++)
            rank_board_fini(&result->boards[round]);
        free(result->boards);
    }
    free(results->places);
    arena_fini(&results->arena);
    *results = (struct run_results){0};
}

struct rank_board *run_results_next(struct run_results *results, enum strategy strategy)
{
    return &results->of[strategy].boards[results->of[strategy].round_count];
}

void run_results_add(struct run_results *results, enum strategy strategy,
                     const struct rank_failure *failure)
{
    results->of[strategy].round_count++;
    results->of[strategy].failure = *failure;
}

void run_results_block(struct run_results *results, const char *why)
{
    for (int i = 0; i < STRATEGY_COUNT; i++) {
        struct rank_failure *failure = &results->of[i].failure;
        if (!results->of[i].asked)
            continue;
        *failure = (struct rank_failure){.kind = RANK_FAILURE_PREFLIGHT, .rank = -1, .step = -1};
        snprintf(failure->detail, sizeof failure->detail, "%s", why);
    }
}

/* ---- a strategy's line ---- */

static void print_measured(const struct evidence_source *source,
                           const struct evidence_metrics *metrics)
{
    char step[64];
    char tokens[64];
    char peak[64];
    char exposed[64];
    printf("%-16s %8s ms/step %10s tokens/s  peak %8s MiB  exposed %5s %%\n",
           training_state_row(source->strategy)->name,
           text_rounded(step, sizeof step, metrics->step_time_ms, TEXT_ROUNDED_PLAIN, 0),
           text_number(tokens, sizeof tokens, metrics->throughput, 4),
           text_rounded(peak, sizeof peak, metrics->peak_mb, TEXT_ROUNDED_PLAIN, 0),
           text_rounded(exposed, sizeof exposed, 100 * metrics->communication_ratio,
                        TEXT_ROUNDED_PERCENT, 0));
}

static void print_failed(const struct evidence_source *source)
{
    const struct rank_failure *failure = source->failure;
    char rank[HOST_INFO_TEXT + 80] = "";
    char shown[sizeof failure->detail];
    const int64_t host = evidence_source_host_of(source, failure->rank);
    text_escape_into(shown, sizeof shown, failure->detail, strlen(failure->detail));
    /* With the name, which no archive keeps. */
    if (host >= 0)
        snprintf(rank, sizeof rank, ", rank %" PRId64 " on host %" PRId64 " (%s)", failure->rank,
                 host, evidence_source_record(source, 0, (uint64_t)failure->rank)->host);
    else if (failure->rank >= 0)
        snprintf(rank, sizeof rank, ", rank %" PRId64, failure->rank);
    printf("%-16s failed (%s%s, %s): %s\n", training_state_row(source->strategy)->name,
           rank_failure_kind_name(failure->kind), rank, rank_phase_name(failure->phase), shown);
}

static enum status print_line(const struct evidence_source *source, struct diag *diag)
{
    struct evidence_metrics metrics;
    enum status status = evidence_metrics_of(source, &metrics, diag);
    if (status != STATUS_OK)
        return status;
    if (source->failure->kind == RANK_FAILURE_NONE)
        print_measured(source, &metrics);
    else
        print_failed(source);
    (void)fflush(stdout); /* the next strategy may take an hour */
    return STATUS_OK;
}

void run_results_write(struct run_results *results, enum strategy strategy, struct diag *diag)
{
    char path[PATH_MAX];
    struct run_result *result = &results->of[strategy];
    const struct evidence_source source = {
        .config = results->config,
        .strategy = strategy,
        .plan = &result->plan,
        .places = results->places,
        .boards = result->boards,
        .round_count = result->round_count,
        .failure = &result->failure,
        .host = results->host,
        .run = results->run,
    };
    enum status status = run_config_target(results->config, strategy, path, sizeof path, diag);
    if (status == STATUS_OK)
        status = evidence_write(&source, path, results->config->force, diag);
    /* Also where it could not be written: then the line is all that there is. */
    enum status printed = print_line(&source, diag);
    if (status == STATUS_OK)
        status = printed;
    result->written = true;
    results->failed += result->failure.kind != RANK_FAILURE_NONE;
    if (results->status == STATUS_OK)
        results->status = status;
}

/* ---- the end ---- */

/* A path as one word of the shell's that is safe to print. */
static void add_path(struct text_buffer *command, const char *folder, const char *name)
{
    struct text_buffer path = {0};
    struct text_buffer word = {0};
    text_buffer_printf(&path, "%s%s%s", folder[0] == '-' ? "./" : "", folder, name);
    if (!path.failed)
        text_quote(&word, path.text);
    if (!word.failed)
        text_escape(command, word.text, word.length);
    command->failed |= path.failed || word.failed;
    text_buffer_fini(&path);
    text_buffer_fini(&word);
}

static void print_next(const struct run_config *config)
{
    struct text_buffer text = {0};
    const char *place = config->output != NULL ? config->output : config->output_dir;
    text_buffer_puts(&text, "\nEvidence: ");
    text_escape(&text, place, strlen(place));
    text_buffer_puts(&text, "\nNext:     rankledger analyze ");
    if (config->reference && config->output_dir != NULL) {
        text_buffer_puts(&text, "--output ");
        add_path(&text, place, "/summary.json");
        text_buffer_puts(&text, " ");
    }
    add_path(&text, place, "");
    if (!text.failed)
        puts(text.text);
    text_buffer_fini(&text);
}

/* What kept every strategy from running, if it is one thing; NULL else. */
static const char *common_obstacle(const struct run_results *results)
{
    const char *why = NULL;
    for (int i = 0; i < STRATEGY_COUNT; i++) {
        const struct rank_failure *failure = &results->of[i].failure;
        if (!results->of[i].asked)
            continue;
        if (failure->kind != RANK_FAILURE_PREFLIGHT ||
            (why != NULL && strcmp(why, failure->detail) != 0))
            return NULL;
        why = failure->detail;
    }
    return why;
}

enum status run_results_conclude(const struct run_results *results, struct diag *diag)
{
    char names[256] = "";
    char rest[64] = "";
    size_t used = 0;
    size_t written = 0;
    for (int i = 0; i < STRATEGY_COUNT; i++) {
        const struct run_result *result = &results->of[i];
        written += result->written;
        if (result->written && result->failure.kind != RANK_FAILURE_NONE)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%s (%s)",
                                 used > 0 ? ", " : "", training_state_row((enum strategy)i)->name,
                                 rank_failure_kind_name(result->failure.kind));
    }
    if (results->status != STATUS_OK)
        return results->status; /* the evidence that could not be written has the word */
    print_next(results->config);
    if (results->failed == 0)
        return STATUS_OK;
    if (common_obstacle(results) != NULL)
        return diag_set(diag, STATUS_NEGATIVE, "no strategy could run: %s",
                        common_obstacle(results));
    if (written < results->config->strategy_count)
        snprintf(rest, sizeof rest, " and %zu did not run",
                 results->config->strategy_count - written);
    return diag_set(diag, STATUS_NEGATIVE, "%zu of %zu strategies failed%s: %s", results->failed,
                    results->config->strategy_count, rest, names);
}
