#include "chart_throughput_head.h"

#include <math.h>

#include "chart_throughput_words.h"

void chart_throughput_head_notices(struct throughput_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    const struct summary_policy *policy = &frame->input->summary->policy;
    if (!frame->group->times_count)
        chart_frame_notice(frame, texts_get(frame->texts, "chart.notice.times"));
    if (!isnan(policy->min_throughput) && chart->unit != NULL && isnan(chart->plot.limit))
        chart_frame_notice(
            frame, chart_frame_say1(frame, "chart.notice.unit", "limit",
                                    chart_throughput_words_rate(frame, policy->min_throughput,
                                                                policy->throughput_unit)));
    if (!chart->shares && frame->rows.count > 0)
        chart_frame_notice(frame, texts_get(frame->texts, "chart.notice.no_shares"));
}

static size_t list_signs(const struct throughput_chart *chart, struct chart_sign_key *signs)
{
    static const struct {
        enum chart_sign sign;
        const char *id;
    } known[] = {
        {CHART_SIGN_WHISKER, "chart.throughput.rounds"},
        {CHART_SIGN_WHISKER_CUT, "chart.throughput.within_run"},
        {CHART_SIGN_RANGE, "chart.throughput.range_key"},
        {CHART_SIGN_DOT, "chart.throughput.dot"},
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (chart->signs[known[i].sign])
            signs[count++] =
                (struct chart_sign_key){known[i].sign, texts_get(chart->frame.texts, known[i].id)};
    }
    return count;
}

void chart_throughput_head_legend(struct throughput_chart *chart)
{
    const struct chart_frame_meaning known[] = {
        {THEME_SELECTED, chart->chosen ? "chart.status.selected" : "chart.throughput.first"},
        {THEME_ELIGIBLE, "verdict.eligible"},
        {THEME_NOT_ELIGIBLE, "verdict.not_eligible"},
        {THEME_NOT_COUNTED, "chart.throughput.not_counted"},
    };
    struct chart_frame_key keys[sizeof known / sizeof known[0]];
    const struct chart_frame_meanings meanings = {known, sizeof known / sizeof known[0]};
    size_t count = chart_frame_keys_of(&chart->frame, chart->areas, &meanings, keys);
    if (count == 1 && !chart->areas[THEME_NOT_COUNTED]) /* one colour needs no key */
        count = 0;
    struct chart_frame_keys all = {keys, count};
    struct chart_sign_key signs[CHART_SIGN_MARK + 1];
    chart_frame_legend_signs(&chart->frame, &all, signs, list_signs(chart, signs));
}

/* Without a panel the heading names the limit, too, and the values their unit. */
static const char *share_title(struct throughput_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    const char *title = texts_get(frame->texts, "column.communication_ratio");
    if (chart->share_panel)
        return texts_get(frame->texts, "chart.throughput.share");
    if (chart->share.limit_text == NULL)
        return title;
    return scene_format(&frame->scene, "%s %s", title, chart->share.limit_text);
}

void chart_throughput_head_headings(struct throughput_chart *chart)
{
    struct chart_frame *frame = &chart->frame;
    const struct chart_plot *plot = &chart->plot;
    const struct chart_plot *share = &chart->share;
    struct chart_plot_heading headings[] = {
        {texts_get(frame->texts, "column.strategy"), CHART_FRAME_MARGIN, chart->lines.label_width},
        {chart_throughput_words_axis(frame, plot->axis.unit.name, chart->unit), plot->left,
         plot->right - plot->left},
        {texts_get(frame->texts, "chart.throughput.value"), plot->right + CHART_LINES_GAP,
         CHART_THROUGHPUT_VALUE_WIDTH},
        {share_title(chart), share->left, chart->frame.width - CHART_FRAME_MARGIN - share->left},
    };
    chart_plot_put_headings(frame, headings, chart->shares ? 4 : 3);
    double high = chart->share_panel ? chart_plot_limit_height(share) : 0;
    frame->y += fmax(chart_plot_limit_height(plot), high);
    chart_plot_limit_label(frame, plot, frame->y);
    if (chart->share_panel)
        chart_plot_limit_label(frame, share, frame->y);
}
