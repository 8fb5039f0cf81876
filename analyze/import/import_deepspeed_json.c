#include <string.h>

#include "import_deepspeed.h"

/* The user's configuration, which DeepSpeed prints as JSON of one member a line, or wrappers of it
 * in fewer lines. */

static const char *section_of(const struct import_deepspeed_json *json)
{
    size_t open = json->depth - 1; /* objects below the root */
    return open == 0                                                  ? ""
           : open <= sizeof json->sections / sizeof json->sections[0] ? json->sections[open - 1]
                                                                      : "?";
}

static void open_section(struct import_deepspeed_json *json, const char *name)
{
    size_t open = json->depth - 1;
    if (open < sizeof json->sections / sizeof json->sections[0])
        memcpy(json->sections[open], name, strlen(name) + 1);
    json->depth++;
}

/* `"name": value` into *name (cut to its size) and *value; false if it is none. */
static bool member_of(struct import_span rest, char name[32], struct import_span *value)
{
    if (!import_scan_skip(&rest, "\""))
        return false;
    struct import_span after = rest;
    if (!import_scan_find(&after, "\":"))
        return false;
    size_t length = (size_t)(after.text - rest.text) - 2;
    length = length < 31 ? length : 31;
    memcpy(name, rest.text, length);
    name[length] = '\0';
    *value = import_scan_trim(after);
    return true;
}

/* `{"stage": 3},`: an object that is whole in its line. False: it is none. */
static bool take_whole_object(struct import *import, struct import_deepspeed_config *config,
                              const char *name, struct import_span text, size_t line)
{
    struct json_read_document json = {0};
    struct json_read_fault fault;
    struct diag diag = {0};
    if (text.length < 2 || text.text[0] != '{')
        return false;
    if (text.text[text.length - 1] == ',')
        text.length--;
    enum status status = json_read_parse(&json, text.text, text.length, &fault, &diag);
    if (status == STATUS_ENVIRONMENT)
        import_no_memory(import);
    if (status == STATUS_OK)
        import_deepspeed_take_members(config, name, &json, 0, line);
    json_read_fini(&json);
    return status == STATUS_OK;
}

/* A line of the block; lines of other ranks or of the program may stand between. */
static void take_json_line(struct import *import, struct import_deepspeed_config *config,
                           const struct import_line *line)
{
    struct import_deepspeed_json *json = &config->json;
    struct import_span rest = import_scan_trim(line->span);
    struct import_span value;
    struct import_span prefix;
    char name[32];
    if (rest.length > 0 && strchr("\"}]", rest.text[0]) == NULL &&
        import_scan_word(&rest, &prefix) && prefix.text[prefix.length - 1] != ':')
        return; /* a launcher's "host: " may stand before it, nothing else */
    if (member_of(rest, name, &value)) {
        bool opens = import_scan_is(&value, "{") || import_scan_is(&value, "[");
        if (opens)
            open_section(json, name);
        else if (!take_whole_object(import, config, name, value, line->number))
            import_deepspeed_take_value(config, section_of(json), name, value, line->number);
    } else if (import_scan_skip(&rest, "}") || import_scan_skip(&rest, "]")) {
        json->depth--;
        json->done = json->depth == 0;
    }
    if (json->done && config->stage_asked.line == 0)
        import_told_add(&config->stage_asked, 0, json->line); /* DeepSpeed's default */
}

void import_deepspeed_take_members(struct import_deepspeed_config *config, const char *section,
                                   const struct json_read_document *json, uint32_t object,
                                   size_t line)
{
    for (uint32_t key = json_read_first(json, object); key != JSON_READ_NONE;
         key = json_read_next(json, object, key)) {
        const struct json_read_node *value = &json->nodes[key + 1];
        struct import_span text = {json->text + value->offset, value->length, false};
        char name[48];
        if (json_read_string(json, key, name, sizeof name) >= sizeof name)
            continue;
        if (value->type == JSON_READ_OBJECT)
            import_deepspeed_take_members(config, name, json, key + 1, line);
        else
            import_deepspeed_take_value(config, section, name, text,
                                        line != 0 ? line : import_scan_json_line(json, key + 1));
    }
}

/* The whole configuration behind "json = " in one line. */
static void take_json_whole(struct import *import, struct import_deepspeed_config *config,
                            struct import_span text, size_t line)
{
    if (take_whole_object(import, config, "", text, line) && config->stage_asked.line == 0)
        import_told_add(&config->stage_asked, 0, line); /* DeepSpeed's default */
}

bool import_deepspeed_take_json(struct import *import, struct import_deepspeed_config *config,
                                const struct import_line *line)
{
    struct import_span rest = line->span;
    if (config->json.depth > 0) {
        take_json_line(import, config, line);
        return true;
    }
    if (!import_scan_find(&rest, "json = {"))
        return false;
    if (import_scan_trim(rest).length == 0)
        config->json = (struct import_deepspeed_json){.line = line->number, .depth = 1};
    else
        take_json_whole(import, config,
                        (struct import_span){rest.text - 1, rest.length + 1, rest.cut},
                        line->number);
    return true;
}
