/* The lines of training loops in the spellings of their versions and forks. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import_interleaved.h"
#include "import_llmc.h"
#include "import_megatron.h"
#include "import_torchtitan.h"

static struct import_line line_of(const char *text)
{
    return (struct import_line){{text, strlen(text), false}, 7};
}

static struct import_llmc_step llmc(const char *text)
{
    struct import_line line = line_of(text);
    struct import_llmc_step step = {.step = NAN};
    cr_assert(import_llmc_step_read(&line, &step), "%s", text);
    return step;
}

Test(import_llmc_step, reads_the_columns)
{
    struct import_llmc_step step =
        llmc("step    2/4 | loss 10.355100 (+0.10z)| norm 1.2000 (-1.50z)| lr 3.00e-04 | 287.00 ms "
             "| 43.3% bf16 MFU | 456697 tok/s");
    cr_assert(step.step == 2 && step.total == 4 && step.line == 7);
    cr_assert(step.loss == 10.3551 && step.norm == 1.2 && step.has_norm);
    cr_assert(step.ms == 287 && step.mfu == 43.3 && step.rate == 456697);
}

Test(import_llmc_step, reads_older_columns)
{
    struct import_llmc_step step =
        llmc("step    1/37: train loss 4.677779 (80.639938 ms, 50793 tok/s)");
    cr_assert(step.step == 1 && step.loss == 4.677779 && step.ms == 80.639938);
    cr_assert(step.rate == 50793 && !step.has_norm && isnan(step.mfu));
    step = llmc("step 10: train loss 3.916512 (took 1234.500000 ms)");
    cr_assert(step.step == 10 && isnan(step.total) && step.ms == 1234.5 && isnan(step.rate));
    step =
        llmc("step    3/20 | train loss 4.1 | norm 2.5 | lr 3.00e-04 | (123.45 ms | 33212 tok/s)");
    cr_assert(step.ms == 123.45 && step.norm == 2.5 && step.rate == 33212);
    step = llmc("iteration 4, loss: 5.27, time: 61.5ms, tok/s: 16650.41, norm: 1.5");
    cr_assert(step.step == 4 && step.loss == 5.27 && step.ms == 61.5 && step.rate == 16650.41);
}

Test(import_llmc_step, keeps_a_norm_apart_from_no_number)
{
    struct import_llmc_step step =
        llmc("step 3/4 | loss    -nan (+nanz)| norm    inf (+nanz)| "
             "lr 3.00e-04 | 287.00 ms | -100.0% bf16 MFU | 456697 tok/s");
    cr_assert(isnan(step.loss) && isinf(step.norm) && step.has_norm && step.mfu == -100);
}

Test(import_llmc_step, passes_over_other_lines)
{
    static const char *const others[] = {"",
                                         "step",
                                         "step 1",
                                         "step 1/4",
                                         "step 1/4 | loss 1.5",
                                         "val loss 11.033154",
                                         "step 1/4 | loss 1.5 | lr 3e-4 | nan ms | 1 tok/s",
                                         "stepping 1/4 | loss 1 | 5 ms",
                                         " iteration       71/     100 | elapsed time per "
                                         "iteration (ms): 5361.6 | lm loss: 1.8E+00 |"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct import_line line = line_of(others[i]);
        struct import_llmc_step step;
        cr_assert_not(import_llmc_step_read(&line, &step), "%s", others[i]);
    }
}

static struct import_torchtitan_line titan(const char *text)
{
    struct import_line line = line_of(text);
    struct import_torchtitan_line read = {.step = NAN};
    cr_assert(import_torchtitan_line_read(&line, &read), "%s", text);
    return read;
}

Test(import_torchtitan_line, reads_the_fields)
{
    struct import_torchtitan_line read =
        titan("[rank3]:[titan] 2025-06-16 22:31:04,970 - root - INFO - step: 210  loss:  6.0388  "
              "grad_norm:  1.5000  memory: 49.50GiB(52.00%)  tps: 5,593  tflops: 1,323.92  mfu: "
              "32.75%");
    cr_assert(read.step == 210 && read.rank == 3 && read.loss == 6.0388 && read.grad_norm == 1.5);
    cr_assert(read.memory_gib == 49.5 && read.memory_percent == 52);
    cr_assert(read.tps == 5593 && read.tflops == 1323.92 && read.mfu == 32.75);
}

Test(import_torchtitan_line, takes_time_from_one_day_to_the_next)
{
    static const struct {
        const char *before, *after;
        double ms;
    } pairs[] = {
        {"2025-06-16 22:31:04,970", "2025-06-16 22:31:05,000", 30},
        {"2025-06-16 23:59:59,000", "2025-06-17 00:00:01,500", 2500},
        {"2024-02-28 12:00:00,000", "2024-03-01 12:00:00,000", 2 * 86400e3}, /* a leap year */
        {"2025-02-28 12:00:00,000", "2025-03-01 12:00:00,000", 86400e3},
        {"2025-12-31 23:59:59.000001", "2026-01-01 00:00:00.000001", 1000},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char text[2][128];
        snprintf(text[0], sizeof text[0], "%s - step: 1  tps: 1", pairs[i].before);
        snprintf(text[1], sizeof text[1], "%s - step: 2  tps: 1", pairs[i].after);
        double ms = titan(text[1]).time_ms - titan(text[0]).time_ms;
        /* Days of milliseconds in a double leave 1e-2. */
        cr_assert(fabs(ms - pairs[i].ms) < 0.01, "%s: %g", pairs[i].after, ms);
    }
    cr_assert(isnan(titan("step: 1  loss: 2.0  tps: 1").time_ms));
}

Test(import_torchtitan_line, knows_what_is_not_told)
{
    struct import_torchtitan_line read = titan("step:  6922/45824  loss: -1.0000  memory: "
                                               "-0.00GiB(-0.00%)  wps: 1,710  mfu: 23.49%");
    cr_assert(read.step == 6922 && read.rank == -1 && !read.has_loss && !read.has_norm);
    cr_assert(isnan(read.memory_gib) && isnan(read.tflops) && read.tps == 1710);
}

Test(import_torchtitan_line, passes_over_other_lines)
{
    static const char *const others[] = {"",
                                         "step: 10",
                                         "step: 10  loss: 2.0",
                                         "validate step: 10  loss:  6.0  tps: 99,999",
                                         "context: val  step: 10  loss: 1.0  wps: 10",
                                         "Training starts at step 1",
                                         "step: x  tps: 10",
                                         "step: 10/  tps: 10"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct import_line line = line_of(others[i]);
        struct import_torchtitan_line read;
        cr_assert_not(import_torchtitan_line_read(&line, &read), "%s", others[i]);
    }
}

static struct import_megatron_line megatron(const char *text)
{
    struct import_line line = line_of(text);
    struct import_megatron_line read = {.iteration = NAN};
    cr_assert(import_megatron_line_read(&line, &read), "%s", text);
    return read;
}

Test(import_megatron_line, reads_the_fields)
{
    struct import_megatron_line read = megatron(
        "[default7]: [2024-04-06 03:02:12] iteration       71/     100 | consumed samples:         "
        "9088 | elapsed time per iteration (ms): 5361.6 | throughput per GPU (TFLOP/s/GPU): 243.6 "
        "| "
        "learning rate: 1.420000E-05 | global batch size:   128 | lm loss: 1.818812E+00 | loss "
        "scale: 1.0 | grad norm: 1.300 | number of skipped iterations:   2 | number of nan "
        "iterations:   1 |");
    cr_assert(read.iteration == 71 && read.consumed == 9088 && read.ms == 5361.6);
    cr_assert(read.tflops == 243.6 && read.batch == 128 && read.loss == 1.818812);
    cr_assert(read.norm == 1.3 && read.skipped == 2 && read.bad == 1);
    cr_assert(isnan(read.tokens) && isnan(read.seq_len) && isnan(read.device_gib));
}

Test(import_megatron_line, reads_what_forks_print)
{
    struct import_megatron_line read =
        megatron(" iteration 1/ 10 | elapsed time per iteration (s): 2.5 | actual seqlen:  4096 | "
                 "total loss: "
                 "2.0 | tokens per gpu per second(tgs): 633.5 | TFLOPs: 38.61 |");
    cr_assert(read.ms == 2500 && read.seq_len == 4096 && read.loss == 2);
    cr_assert(read.tokens == 633.5 && read.tflops == 38.61 && isnan(read.batch));
    read = megatron("iteration 2/ 10 | elapsed time per iteration (ms): 16601.3/17219.3 | hip mem "
                    "usage/free/total/usage_ratio: 2.50GB/2.60GB/255.98GB/98.98% | tokens per GPU "
                    "(tokens/s/GPU): 246.7/238.1 |");
    cr_assert(read.ms == 16601.3 && read.tokens == 246.7 && read.device_gib == 2.5);
}

Test(import_megatron_line, passes_over_other_lines)
{
    static const char *const others[] = {
        "",
        " iteration 1/ 10 | MoE | router_entropy: 1.5 |",
        " validation loss at iteration 1000 | lm loss value: 5.3E+00 | lm loss PPL: 2.0E+02 |",
        "saving checkpoint at iteration      50 to checkpoints",
        "iteration 5 | elapsed",
        " iteration 1e300/ 10 | elapsed time per iteration (ms): 1.0 |"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct import_line line = line_of(others[i]);
        struct import_megatron_line read;
        cr_assert_not(import_megatron_line_read(&line, &read), "%s", others[i]);
    }
}

/* The parts of a line, joined by " // ". */
static const char *parts(const char *text, char *out, size_t capacity)
{
    struct import_line rest = line_of(text);
    struct import_line part;
    out[0] = '\0';
    while (import_interleaved_next(&rest, &part)) {
        size_t used = strlen(out);
        snprintf(out + used, capacity - used, "%s%.*s", used > 0 ? " // " : "",
                 (int)part.span.length, part.span.text);
        cr_assert(part.number == 7);
    }
    return out;
}

Test(import_interleaved, splits_where_a_rank_follows_on_another)
{
    char out[256];
    cr_assert_str_eq(parts("[rank0]:step: 1 mfu: 34%[rank1]:step: 1", out, sizeof out),
                     "[rank0]:step: 1 mfu: 34% // [rank1]:step: 1");
    cr_assert_str_eq(parts("max reserved: 8.0[Rank 1] (after 2)[Rank 2] x", out, sizeof out),
                     "max reserved: 8.0 // [Rank 1] (after 2) // [Rank 2] x");
    cr_assert_str_eq(parts("[rank0]:[Rank 0] (after 2 iterations)", out, sizeof out),
                     "[rank0]:[Rank 0] (after 2 iterations)");
    cr_assert_str_eq(parts("0: [Rank 0] (after", out, sizeof out), "0: [Rank 0] (after");
    cr_assert_str_eq(parts("[a][rank-63/64][INFO ] :  iteration", out, sizeof out),
                     "[a][rank-63/64][INFO ] :  iteration");
    cr_assert_str_eq(parts("", out, sizeof out), "");
    cr_assert_str_eq(parts("[", out, sizeof out), "[");
    cr_assert_str_eq(parts("x[rank", out, sizeof out), "x[rank");
}
