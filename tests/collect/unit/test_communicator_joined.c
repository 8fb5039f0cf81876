#include <criterion/criterion.h>
#include <stdlib.h>

#include "communicator_mpi.h"

/* What the launchers' variables say; Criterion runs each test in a process of its own. */
struct variable {
    const char *name, *value;
};

static const char *const known[] = {"OMPI_COMM_WORLD_RANK",
                                    "OMPI_COMM_WORLD_SIZE",
                                    "PMI_RANK",
                                    "PMI_SIZE",
                                    "PMIX_RANK",
                                    "PMIX_SIZE",
                                    "SLURM_JOB_ID",
                                    "SLURM_NTASKS",
                                    "SLURM_PROCID",
                                    "SLURM_STEP_ID",
                                    "SLURM_STEP_NUM_TASKS"};

/* Rank and size as 100 * rank + size; -1: not joined. Variables up to one without a name. */
static int joined(const struct variable *variables)
{
    int rank = -1;
    int world_size = -1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        unsetenv(known[i]);
    }
    for (; variables->name; variables++) {
        setenv(variables->name, variables->value, 1);
    }
    return communicator_mpi_joined(&rank, &world_size) ? 100 * rank + world_size : -1;
}

Test(communicator_joined, is_false_without_a_launcher)
{
    cr_assert_eq(joined((struct variable[]){{0}}), -1);
}

Test(communicator_joined, knows_mpirun)
{
    cr_assert_eq(joined((struct variable[]){
                     {"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {0}}),
                 304);
    cr_assert_eq(joined((struct variable[]){{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {0}}), 102);
}

Test(communicator_joined, knows_a_step_of_srun)
{
    cr_assert_eq(joined((struct variable[]){{"SLURM_JOB_ID", "7"},
                                            {"SLURM_NTASKS", "8"},
                                            {"SLURM_STEP_ID", "0"},
                                            {"SLURM_STEP_NUM_TASKS", "4"},
                                            {"SLURM_PROCID", "2"},
                                            {0}}),
                 204);
}

Test(communicator_joined, is_false_in_the_script_of_sbatch)
{
    struct variable script[5] = {
        {"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}};
    cr_assert_eq(joined(script), -1);
    script[3] = (struct variable){"SLURM_STEP_ID", "4294967291"}; /* SLURM_BATCH_SCRIPT */
    cr_assert_eq(joined(script), -1);
}

Test(communicator_joined, is_false_in_an_interactive_shell_of_srun)
{
    cr_assert_eq(joined((struct variable[]){{"SLURM_JOB_ID", "7"},
                                            {"SLURM_NTASKS", "1"},
                                            {"SLURM_STEP_ID", "0"},
                                            {"SLURM_STEP_NUM_TASKS", "1"},
                                            {"SLURM_PROCID", "0"},
                                            {"PMI_RANK", "0"},
                                            {"PMI_SIZE", "1"},
                                            {0}}),
                 -1);
}

Test(communicator_joined, passes_over_nonsense)
{
    cr_assert_eq(joined((struct variable[]){
                     {"OMPI_COMM_WORLD_RANK", "4"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {0}}),
                 -1);
    cr_assert_eq(joined((struct variable[]){
                     {"OMPI_COMM_WORLD_RANK", "one"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {0}}),
                 -1);
    cr_assert_eq(joined((struct variable[]){
                     {"OMPI_COMM_WORLD_RANK", "-1"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {0}}),
                 -1);
    cr_assert_eq(joined((struct variable[]){{"OMPI_COMM_WORLD_RANK", "0"}, {0}}), -1);
}
