#include "import_table.h"

#include <string.h>

#include "text.h"

extern const struct import_format import_nccl_tests, import_watchdog;
extern const struct import_format import_llmc, import_megatron, import_torchtitan;
extern const struct import_format import_deepspeed, import_deepspeed_tuner, import_hf_trainer;

const struct import_format *const import_table[] = {
    &import_nccl_tests, &import_deepspeed, &import_deepspeed_tuner,
    &import_hf_trainer, &import_llmc,      &import_megatron,
    &import_torchtitan, &import_watchdog,  NULL,
};

/* A document whose kind shows, although it is nothing to import. */
static enum status refuse_json(const struct import_source *source, struct diag *diag)
{
    if (source->json_fault != NULL)
        return diag_set(diag, STATUS_INPUT, "%s:%s", source->path, source->json_fault);
    if (json_read_member(source->json, 0, "evidence_level") != JSON_READ_NONE)
        return diag_set(diag, STATUS_INPUT,
                        "%s: is evidence already; rankledger validate and analyze take it",
                        source->path);
    char schema[64] = "";
    json_read_string(source->json, json_read_member(source->json, 0, "schema"), schema,
                     sizeof schema);
    if (strncmp(schema, "rankledger.", strlen("rankledger.")) == 0)
        return diag_set(diag, STATUS_INPUT, "%s: is a document of rankledger itself%s",
                        source->path,
                        strncmp(schema, "rankledger.calibration/", 23) == 0
                            ? ", rates of links: --calibration takes it"
                            : "; nothing is to be imported");
    return STATUS_OK;
}

static enum status refuse_unknown(const struct import_source *source, struct diag *diag)
{
    struct text_buffer message = {0};
    for (size_t i = 0; import_table[i] != NULL; i++)
        text_buffer_printf(&message, "\n  %-19s %s: %s", import_table[i]->name,
                           import_table[i]->title, import_table[i]->sample);
    enum status status =
        message.failed
            ? diag_no_memory(diag)
            : diag_set(diag, STATUS_INPUT,
                       "%s: no known tool's output was found in it; --from NAME says which it is. "
                       "Known are%s",
                       source->path, message.text);
    text_buffer_fini(&message);
    return status;
}

/* The formats with most signs, of the last resort or of the others. */
struct choice {
    const struct import_format *best, *second; /* second: as many; NULL */
    unsigned most;
    unsigned signs[IMPORT_TABLE_MOST];
};

static struct choice choose(const struct import_source *source, bool last_resort)
{
    struct choice choice = {0};
    for (size_t i = 0; import_table[i] != NULL; i++) {
        const struct import_format *format = import_table[i];
        unsigned signs = format->last_resort == last_resort ? format->matches(source) : 0;
        choice.signs[i] = signs;
        if (signs == 0 || signs < choice.most)
            continue;
        choice.second = signs == choice.most ? choice.best : NULL;
        choice.best = format;
        choice.most = signs;
    }
    return choice;
}

/* Another tool's output in the same file, by more signs than chance makes; NULL. */
static const struct import_format *also_there(const struct choice *choice)
{
    enum { LEAST = 3 };
    for (size_t i = 0; import_table[i] != NULL; i++)
        if (import_table[i] != choice->best && choice->signs[i] >= LEAST &&
            !(import_table[i]->joins && choice->best->joins))
            return import_table[i];
    return NULL;
}

enum status import_table_recognise(const struct import_source *source,
                                   struct import_table_choice *found, struct diag *diag)
{
    struct choice choice = choose(source, false);
    if (choice.best == NULL)
        choice = choose(source, true);
    if (choice.best == NULL && (source->json != NULL || source->json_fault != NULL) &&
        refuse_json(source, diag) != STATUS_OK)
        return STATUS_INPUT;
    if (choice.best == NULL)
        return refuse_unknown(source, diag);
    if (choice.second != NULL)
        return diag_set(diag, STATUS_INPUT,
                        "%s: may be a %s or a %s; say which with --from %s or --from %s",
                        source->path, choice.second->title, choice.best->title, choice.second->name,
                        choice.best->name);
    *found = (struct import_table_choice){choice.best, also_there(&choice)};
    return STATUS_OK;
}
