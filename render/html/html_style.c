#include "html_style.h"

#include <string.h>

#include "html_text.h"
#include "theme_role.h"

/* ---- Colours ---- */

static void put_variables(struct text_buffer *out, const struct theme *theme)
{
    text_buffer_puts(out, ":root {");
    for (size_t i = 0; i < THEME_INK_COUNT; i++) {
        text_buffer_printf(out, " --%s: ", theme_role_ink(i));
        html_text_colour(out, theme->ink[i]);
        text_buffer_puts(out, ";");
    }
    text_buffer_puts(out, " }\n");
}

/* Whether an earlier role has the same light colour, and so the same rule. */
static bool is_repeated(const struct theme *light, size_t role, bool (*has)(size_t role))
{
    for (size_t i = 0; i < role; i++)
        if (has(i) && theme_role_get(light, i) == theme_role_get(light, role))
            return true;
    return false;
}

struct recolouring {
    bool (*has)(size_t role);
    const char *selector, *property;
};

static void put_recolouring(struct text_buffer *out, const struct report_template *template,
                            const struct recolouring *rule)
{
    for (size_t i = 0; i < THEME_ROLE_COUNT; i++) {
        canvas_colour light = theme_role_get(&template->theme, i);
        canvas_colour dark = theme_role_get(&template->dark, i);
        if (!rule->has(i) || light == CANVAS_NONE || light == dark ||
            is_repeated(&template->theme, i, rule->has))
            continue;
        text_buffer_printf(out, "  .chart %s[%s=\"", rule->selector, rule->property);
        html_text_colour(out, light);
        text_buffer_printf(out, "\"] { %s: ", rule->property);
        html_text_colour(out, dark);
        text_buffer_puts(out, "; }\n");
    }
}

/* A picture's texts are groups, its shapes are not. */
static void put_dark(struct text_buffer *out, const struct report_template *template)
{
    static const struct recolouring rules[] = {
        {theme_role_is_shape, "", "fill"},
        {theme_role_is_shape, "", "stroke"},
        {theme_role_is_text, "g", "fill"},
    };
    text_buffer_puts(out, "@media screen and (prefers-color-scheme: dark) {\n  ");
    put_variables(out, &template->dark);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        put_recolouring(out, template, &rules[i]);
    text_buffer_puts(out, "}\n");
}

/* ---- Fonts and paper ---- */

/* The charts' families, each in quotes but for the generic one. */
static void put_families(struct text_buffer *out, const char *families)
{
    text_buffer_puts(out, "body { font-family: ");
    while (families[0] != '\0') {
        size_t length = strcspn(families, ",");
        bool generic =
            length == strlen("sans-serif") && strncmp(families, "sans-serif", length) == 0;
        if (!generic) {
            text_buffer_puts(out, "\"");
            text_buffer_append(out, families, length);
            text_buffer_puts(out, "\", ");
        }
        families += length;
        families += families[0] == ',' ? 1 : 0;
    }
    text_buffer_puts(out, "system-ui, sans-serif; }\n");
}

static void put_paper(struct text_buffer *out, const struct report_template *template)
{
    text_buffer_printf(out, "@page { size: %.2fpt %.2fpt; margin: 15mm; }\n", template->page_width,
                       template->page_height);
}

/* ---- Layout ---- */

/* In two pieces: C promises no literal of more than 4095 bytes. */
static const char layout_text[] =
    "* { box-sizing: border-box; }\n"
    "html { color-scheme: light dark; -webkit-text-size-adjust: 100%; }\n"
    "body { margin: 0 auto; padding: 1.5rem 1.25rem 3rem; max-width: 62.5rem; line-height: 1.5;\n"
    "  background: var(--page); color: var(--text); }\n"
    ":root:not(:lang(zh)):not(:lang(ja)):not(:lang(ko)) body {\n"
    "  font-variant-east-asian: proportional-width; }\n"
    "h1, h2, h3, h4 { line-height: 1.25; margin: 2.2rem 0 .7rem; overflow-wrap: anywhere; }\n"
    "h1 { font-size: 1.7rem; margin: .2rem 0 0; }\n"
    "h2 { font-size: 1.35rem; border-bottom: 2px solid var(--grid); padding-bottom: .3rem; }\n"
    "h3 { font-size: 1.1rem; } h4 { font-size: 1rem; }\n"
    "p, ul, dl { margin: .6rem 0; } li { margin: .3rem 0; overflow-wrap: anywhere; }\n"
    "a { color: inherit; } p { overflow-wrap: anywhere; max-width: 48rem; }\n"
    ":focus-visible { outline: 3px solid var(--notice_edge); outline-offset: 2px; }\n"
    ".skip { position: absolute; left: -999rem; } .skip:focus { left: 1rem; top: .5rem;\n"
    "  background: var(--page); padding: .4rem .8rem; }\n"
    "header { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; align-items: center;\n"
    "  justify-content: space-between; border-bottom: 1px solid var(--grid);\n"
    "  padding-bottom: 1rem; }\n"
    ".logo { width: auto; height: auto; max-height: 3rem; max-width: 14rem; background: #ffffff; "
    "padding: 2px; }\n"
    ".organisation { margin: 0; color: var(--quiet); }\n"
    "nav { background: var(--stripe); border-radius: 6px; padding: .8rem 1.1rem; margin: 1.2rem 0; "
    "}\n"
    "nav h2 { font-size: 1rem; border: 0; margin: 0; padding: 0; }\n"
    "nav ul { columns: 18rem; list-style: none; padding: 0; margin: .4rem 0 0; }\n"
    "nav ul ul { columns: auto; padding-left: 1.1rem; margin: 0; }\n"
    "nav li { margin: 0; padding: .15rem 0; break-inside: avoid; }\n"
    ".strong, .good, .warning, .bad { font-weight: 600; } .quiet { color: var(--quiet); }\n"
    ".good { color: var(--good); } .warning { color: var(--warning); } .bad { color: var(--bad); "
    "}\n"
    ".mark { font-weight: 700; margin-right: .4em; }\n"
    ".verdict { border-left: 6px solid currentColor; background: var(--stripe);\n"
    "  padding: .9rem 1.2rem; border-radius: 0 6px 6px 0; margin: 1rem 0; }\n"
    ".verdict p { margin: .3rem 0 0; color: var(--text); font-weight: 400; }\n"
    ".verdict .headline { font-size: 1.35rem; font-weight: 700; color: inherit; margin: 0;\n"
    "  line-height: 1.3; }\n"
    ".figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr));\n"
    "  gap: .8rem; margin: 1rem 0; }\n"
    ".figures div { border: 1px solid var(--grid); border-top: 3px solid currentColor;\n"
    "  border-radius: 0 0 6px 6px; padding: .6rem .9rem .8rem; }\n"
    ".figures dt { color: var(--quiet); font-weight: 400; font-size: .9rem; }\n"
    ".figures dd { margin: 0; } .figures .value { font-size: 1.45rem; font-weight: 700; }\n"
    ".figures .detail { color: var(--text); font-weight: 400; font-size: .9rem; }\n"
    ".notice { background: var(--notice); border-left: 4px solid var(--notice_edge);\n"
    "  padding: .6rem 1rem; margin: .8rem 0; } .notice p { margin: 0; color: var(--text);\n"
    "  font-weight: 400; }\n"
    "pre { background: var(--stripe); border: 1px solid var(--grid); border-radius: 6px;\n"
    "  padding: .6rem .9rem; margin: .5rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }\n"
    "pre, .code { font-family: ui-monospace, \"DejaVu Sans Mono\", Menlo, Consolas, monospace;\n"
    "  font-size: .85em; }\n";
static const char layout_tables[] =
    ".scroll { overflow-x: auto; margin: .8rem 0; }\n"
    "table { border-collapse: collapse; font-size: .92rem; min-width: 100%; }\n"
    "th, td { padding: .35rem .6rem; text-align: left; vertical-align: top; font-weight: 400; }\n"
    "thead th { font-weight: 600; border-bottom: 2px solid var(--axis); vertical-align: bottom; }\n"
    "tbody tr { border-bottom: 1px solid var(--grid); }\n"
    "tbody tr:nth-child(even) { background: var(--stripe); }\n"
    "td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }\n"
    "td.number { white-space: nowrap; } td.text { min-width: 8rem; } th.text { min-width: 5.5rem; "
    "}\n"
    "td.code { overflow-wrap: anywhere; min-width: 12rem; }\n"
    "td.strong, td.good, td.warning, td.bad, th.strong, th.good, th.warning,\n"
    "  th.bad { font-weight: 600; }\n"
    "figure { margin: 1rem 0; overflow-x: auto; }\n"
    ".chart { display: block; max-width: none; height: auto; margin: 0 auto; }\n"
    "@media (min-width: 45rem) { .chart { max-width: 100%; } }\n"
    ".glyphs { position: absolute; width: 0; height: 0; }\n"
    "footer { border-top: 1px solid var(--grid); margin-top: 3rem; padding-top: .6rem;\n"
    "  color: var(--quiet); font-size: .85rem; }\n"
    "@media (max-width: 40rem) { body { padding: 1rem .8rem 2rem; } h1 { font-size: 1.4rem; }\n"
    "  h2 { font-size: 1.2rem; } .verdict .headline { font-size: 1.15rem; }\n"
    "  nav ul ul { display: none; } }\n"
    "@media print { html { color-scheme: light; font-size: 11.5px; } body { max-width: none; "
    "padding: 0; }\n"
    "  p { max-width: none; } p:has(+ figure), h3 + p, h4 + p { break-after: avoid; }\n"
    "  nav, .skip { display: none; } .new-page { break-before: page; }\n"
    "  h2, h3, h4, thead { break-after: avoid; } tr, figure, .verdict, .figures, .notice,\n"
    "  pre { break-inside: avoid; } .scroll, figure { overflow: visible; }\n"
    "  .chart { max-width: 100%; max-height: 250mm; } table { font-size: .9rem; }\n"
    "  th, td { padding: .2rem .35rem; } td.text, td.code, th.text { min-width: 0; }\n"
    "  .verdict, .notice, tbody tr, .figures div { print-color-adjust: exact;\n"
    "    -webkit-print-color-adjust: exact; } }\n";

void html_style_put(struct text_buffer *out, const struct report_template *template)
{
    put_variables(out, &template->theme);
    put_families(out, template->theme.families);
    text_buffer_puts(out, layout_text);
    text_buffer_puts(out, layout_tables);
    put_paper(out, template);
    put_dark(out, template);
}
