#include <string.h>

#include "evidence_parts.h"
#include "launcher_command.h"
#include "text.h"

/* ---- hardware ---- */

static json_t *ranks_per_host(const struct evidence_parts *parts)
{
    json_t *array = json_write_array(parts->writer);
    for (uint64_t host = 0; host < evidence_source_hosts(parts->source); host++)
        json_write_append(parts->writer, array,
                          json_write_integer(parts->writer, (int64_t)evidence_source_ranks_of_host(
                                                                parts->source, host)));
    return array;
}

json_t *evidence_parts_hardware(const struct evidence_parts *parts)
{
    const struct host_info *host = parts->source->host;
    uint64_t hosts = evidence_source_hosts(parts->source);
    json_t *object = json_write_object(parts->writer);
    if (evidence_parts_on_device(parts)) {
        evidence_parts_set_devices(parts, object);
        evidence_parts_set_text(parts, object, "processor", host->cpu);
    } else {
        evidence_parts_set_text(parts, object, "device", host->cpu);
        evidence_parts_set_count(parts, object, "device_count", host->packages * hosts);
    }
    evidence_parts_set_count(parts, object, "hosts", hosts);
    if (parts->source->round_count > 0)
        evidence_parts_set(parts, object, "ranks_per_host", ranks_per_host(parts));
    evidence_parts_set_count(parts, object, "cores_per_host", host->cores);
    evidence_parts_set_count(parts, object, "hardware_threads_per_host", host->threads);
    evidence_parts_set_count(parts, object, "numa_nodes_per_host", host->numa_nodes);
    evidence_parts_set_count(parts, object, "memory_bytes_per_host", host->memory_bytes);
    return object;
}

/* ---- environment ---- */

/* What decides how fast a rank computes and talks. Nothing else of an environment is written:
 * archives are shared, and an environment holds secrets. */
static const char *const variables[] = {"OMP_NUM_THREADS",
                                        "OMP_PROC_BIND",
                                        "OMP_PLACES",
                                        "OMP_WAIT_POLICY",
                                        "OMP_DYNAMIC",
                                        "GOMP_SPINCOUNT",
                                        "GOMP_CPU_AFFINITY",
                                        "OPENBLAS_CORETYPE",
                                        "OPENBLAS_NUM_THREADS",
                                        "MALLOC_ARENA_MAX",
                                        "GLIBC_TUNABLES",
                                        "OMPI_MCA_mpi_yield_when_idle",
                                        "OMPI_MCA_pml",
                                        "OMPI_MCA_btl",
                                        "OMPI_MCA_btl_tcp_if_include",
                                        "OMPI_MCA_coll",
                                        "OMPI_MCA_coll_tuned_use_dynamic_rules"};

/* The same of GPUs and NCCL (its environment variables' list); names of files are none. */
static const char *const device_variables[] = {"CUDA_VISIBLE_DEVICES",
                                               "CUDA_DEVICE_ORDER",
                                               "CUDA_DEVICE_MAX_CONNECTIONS",
                                               "CUDA_LAUNCH_BLOCKING",
                                               "CUDA_MODULE_LOADING",
                                               "NVIDIA_TF32_OVERRIDE",
                                               "NCCL_ALGO",
                                               "NCCL_PROTO",
                                               "NCCL_NET",
                                               "NCCL_P2P_DISABLE",
                                               "NCCL_P2P_LEVEL",
                                               "NCCL_SHM_DISABLE",
                                               "NCCL_IB_DISABLE",
                                               "NCCL_IB_HCA",
                                               "NCCL_NET_GDR_LEVEL",
                                               "NCCL_SOCKET_IFNAME",
                                               "NCCL_SOCKET_NTHREADS",
                                               "NCCL_NSOCKS_PERTHREAD",
                                               "NCCL_BUFFSIZE",
                                               "NCCL_NTHREADS",
                                               "NCCL_MIN_NCHANNELS",
                                               "NCCL_MAX_NCHANNELS",
                                               "NCCL_MIN_CTAS",
                                               "NCCL_MAX_CTAS",
                                               "NCCL_CUMEM_ENABLE",
                                               "NCCL_NVLS_ENABLE",
                                               "NCCL_COLLNET_ENABLE",
                                               "NCCL_CROSS_NIC",
                                               "NCCL_CHECKS_DISABLE",
                                               "NCCL_LAUNCH_MODE"};

static void add_variables(const struct evidence_parts *parts, const char *const *names,
                          size_t count, json_t *object)
{
    for (size_t i = 0; i < count; i++) {
        const char *value = launcher_command_variable(parts->source->run->environment, names[i]);
        if (value != NULL)
            evidence_parts_set_text(parts, object, names[i], value);
    }
}

static json_t *variables_of(const struct evidence_parts *parts)
{
    json_t *object = json_write_object(parts->writer);
    add_variables(parts, variables, sizeof variables / sizeof variables[0], object);
    if (evidence_parts_on_device(parts))
        add_variables(parts, device_variables, sizeof device_variables / sizeof device_variables[0],
                      object);
    return object;
}

static json_t *rank_place(const struct evidence_parts *parts, uint64_t rank)
{
    uint64_t number;
    const struct rank_record *record = evidence_source_record(parts->source, 0, rank);
    json_t *object = json_write_object(parts->writer);
    evidence_parts_set_count(parts, object, "rank", rank);
    if (record->pid == 0)
        return object;
    /* A number: archives are shared, and a host's name says more than that. */
    evidence_parts_set_count(parts, object, "host", record->host_number);
    evidence_parts_set_text(parts, object, "device", record->device);
    if (evidence_parts_device_number(parts, rank, &number))
        evidence_parts_set_count(parts, object, "gpu", number);
    evidence_parts_set_count(parts, object, "cores", record->cores);
    evidence_parts_set_count(parts, object, "threads", record->threads);
    evidence_parts_set_text(parts, object, "affinity", record->affinity);
    return object;
}

static void set_libraries(const struct evidence_parts *parts, json_t *object)
{
    evidence_parts_set_device_libraries(parts, object);
    if (parts->source->round_count == 0)
        return;
    const struct rank_record *record = evidence_source_record(parts->source, 0, 0);
    if (record->mpi[0] != '\0')
        evidence_parts_set_text(parts, object, "mpi", record->mpi);
    if (record->blas[0] == '\0')
        return;
    evidence_parts_set_text(parts, object, "blas", record->blas);
    evidence_parts_set_text(parts, object, "blas_kernels", record->blas_kernels);
    evidence_parts_set_text(parts, object, "blas_kernels_chosen_by",
                            parts->source->run->kernels_by);
}

json_t *evidence_parts_environment(const struct evidence_parts *parts)
{
    const struct host_info *host = parts->source->host;
    json_t *object = json_write_object(parts->writer);
    json_t *ranks = json_write_array(parts->writer);
    for (uint64_t rank = 0;
         parts->source->round_count > 0 && rank < evidence_source_ranks(parts->source); rank++)
        json_write_append(parts->writer, ranks, rank_place(parts, rank));
    evidence_parts_set(parts, object, "per_rank", ranks);
    evidence_parts_set_text(parts, object, "kernel", host->kernel);
    evidence_parts_set_text(parts, object, "architecture", host->architecture);
    evidence_parts_set_text(parts, object, "transparent_huge_pages", host->huge_pages);
    if (host->governor[0] != '\0')
        evidence_parts_set_text(parts, object, "frequency_governor", host->governor);
    evidence_parts_set_count(parts, object, "usable_cores", host->usable_cores);
    evidence_parts_set_bool(parts, object, "ranks_bound_to_cores", parts->source->run->bound);
    evidence_parts_set_bool(parts, object, "oversubscribed", parts->source->run->oversubscribed);
    evidence_parts_set(parts, object, "variables", variables_of(parts));
    set_libraries(parts, object);
    return object;
}

/* ---- run ---- */

/* The command line, without the names of users in its paths. */
static json_t *command_line(const struct evidence_parts *parts)
{
    const struct run_config *config = parts->source->config;
    json_t *array = json_write_array(parts->writer);
    for (int i = 0; i < config->argc; i++) {
        struct text_buffer word = {0};
        text_redact(&word, config->argv[i], strlen(config->argv[i]));
        json_write_append(parts->writer, array,
                          json_write_string(parts->writer, word.text != NULL ? word.text : ""));
        if (word.failed)
            parts->writer->status = STATUS_ENVIRONMENT;
        text_buffer_fini(&word);
    }
    return array;
}

static json_t *injected_faults(const struct evidence_parts *parts)
{
    const struct run_injection *injection = &parts->source->config->injection;
    json_t *array = json_write_array(parts->writer);
    bool happened = false;
    if (injection->fault == RUN_FAULT_NONE)
        return array;
    for (size_t round = 0; round < parts->source->round_count; round++)
        happened =
            happened || evidence_source_record(parts->source, round, injection->rank)->injected;
    json_t *object = json_write_object(parts->writer);
    evidence_parts_set_text(parts, object, "fault", injection->text);
    evidence_parts_set_bool(parts, object, "happened", happened);
    json_write_append(parts->writer, array, object);
    return array;
}

json_t *evidence_parts_run(const struct evidence_parts *parts)
{
    const struct evidence_run *run = parts->source->run;
    json_t *object = json_write_object(parts->writer);
    evidence_parts_set_text(parts, object, "id", run->id);
    evidence_parts_set_text(parts, object, "started_utc", run->started_utc);
    evidence_parts_set_text(parts, object, "program", "rankledger-collect");
    evidence_parts_set_text(parts, object, "version", RANKLEDGER_VERSION);
    evidence_parts_set_text(parts, object, "backend", parts->source->config->backend);
    evidence_parts_set_text(parts, object, "ranks_started_by",
                            run->joined ? "mpirun or srun" : "rankledger-collect");
    evidence_parts_set(parts, object, "command_line", command_line(parts));
    evidence_parts_set(parts, object, "injected_faults", injected_faults(parts));
    return object;
}
