#include "host_info.h"

#include <hwloc.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>

/* ---- files of a line or a few ---- */

/* The first line of a file without its end; "" if there is none. */
static void read_line(const char *path, char *text, size_t size)
{
    text[0] = '\0';
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return;
    if (fgets(text, (int)size, file) == NULL)
        text[0] = '\0';
    fclose(file);
    text[strcspn(text, "\n")] = '\0';
}

/* What follows "NAME" and blanks or a colon in a file of such lines; false if no line has it. */
static bool read_field(const char *path, const char *name, char *text, size_t size)
{
    char line[512];
    bool found = false;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (!found && fgets(line, sizeof line, file) != NULL) {
        size_t length = strlen(name);
        if (strncmp(line, name, length) != 0)
            continue;
        const char *value = line + length + strspn(line + length, " \t:");
        snprintf(text, size, "%.*s", (int)strcspn(value, "\n"), value);
        found = true;
    }
    fclose(file);
    return found;
}

/* proc(5): /proc/meminfo counts kilobytes of 1024 bytes. */
static uint64_t meminfo_bytes(const char *name)
{
    char text[64];
    if (!read_field("/proc/meminfo", name, text, sizeof text))
        return 0;
    return strtoull(text, NULL, 10) * 1024;
}

static uint64_t file_number(const char *folder, const char *name, uint64_t otherwise)
{
    char path[1024];
    char text[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    read_line(path, text, sizeof text);
    char *end = NULL;
    uint64_t number = strtoull(text, &end, 10);
    return end == text ? otherwise : number; /* "max" is no number */
}

/* ---- memory ---- */

/* What control groups (version 2) leave: the least over this process' group and those around it. */
static uint64_t group_available_bytes(void)
{
    char path[512];
    uint64_t least = UINT64_MAX;
    if (!read_field("/proc/self/cgroup", "0:", path, sizeof path))
        return least;
    while (path[0] == '/') {
        char folder[768];
        snprintf(folder, sizeof folder, "/sys/fs/cgroup%s", path);
        uint64_t limit = file_number(folder, "memory.max", UINT64_MAX);
        uint64_t used = file_number(folder, "memory.current", 0);
        if (limit != UINT64_MAX && limit - (used < limit ? used : limit) < least)
            least = limit - (used < limit ? used : limit);
        char *slash = strrchr(path, '/');
        if (slash == path && path[1] == '\0')
            break;
        slash[slash == path ? 1 : 0] = '\0';
    }
    return least;
}

static void load_memory(struct host_info *info)
{
    struct statvfs about;
    info->memory_bytes = meminfo_bytes("MemTotal");
    info->available_bytes = meminfo_bytes("MemAvailable");
    uint64_t of_group = group_available_bytes();
    if (of_group < info->available_bytes)
        info->available_bytes = of_group;
    if (statvfs("/dev/shm", &about) == 0) {
        info->shared_bytes = (uint64_t)about.f_blocks * about.f_frsize;
        info->shared_free_bytes = (uint64_t)about.f_bavail * about.f_frsize;
    }
    /* "always [madvise] never" */
    char text[HOST_INFO_TEXT];
    read_line("/sys/kernel/mm/transparent_hugepage/enabled", text, sizeof text);
    const char *open = strchr(text, '[');
    if (open != NULL)
        snprintf(info->huge_pages, sizeof info->huge_pages, "%.*s", (int)strcspn(open + 1, "]"),
                 open + 1);
}

/* ---- processors ---- */

static uint64_t count_of(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    int count = hwloc_get_nbobjs_by_type(topology, type);
    return count > 0 ? (uint64_t)count : 0;
}

/* Cores with at least one logical CPU that this process may run on. */
static uint64_t usable_cores(hwloc_topology_t topology, hwloc_const_bitmap_t allowed)
{
    uint64_t cores = 0;
    for (hwloc_obj_t core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, NULL);
         core != NULL; core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core))
        cores += hwloc_bitmap_intersects(core->cpuset, allowed) != 0;
    if (cores > 0)
        return cores;
    int cpus = hwloc_bitmap_weight(allowed); /* a machine that does not tell its cores */
    return cpus > 0 ? (uint64_t)cpus : 0;
}

static void load_processors(struct host_info *info, hwloc_topology_t topology)
{
    info->packages = count_of(topology, HWLOC_OBJ_PACKAGE);
    info->numa_nodes = count_of(topology, HWLOC_OBJ_NUMANODE);
    info->cores = count_of(topology, HWLOC_OBJ_CORE);
    info->threads = count_of(topology, HWLOC_OBJ_PU);
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package != NULL ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    if (model == NULL)
        model = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "CPUModel");
    if (model != NULL)
        snprintf(info->cpu, sizeof info->cpu, "%s", model);
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    if (allowed == NULL)
        return;
    if (hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) != 0)
        hwloc_bitmap_copy(allowed, hwloc_topology_get_allowed_cpuset(topology));
    info->usable_cores = usable_cores(topology, allowed);
    hwloc_bitmap_list_snprintf(info->affinity, sizeof info->affinity, allowed);
    hwloc_bitmap_free(allowed);
}

void host_info_load(struct host_info *info)
{
    struct utsname name;
    hwloc_topology_t topology;
    *info = (struct host_info){0};
    if (uname(&name) == 0) {
        snprintf(info->kernel, sizeof info->kernel, "%.40s %.80s", name.sysname, name.release);
        snprintf(info->architecture, sizeof info->architecture, "%s", name.machine);
    }
    load_memory(info);
    read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", info->governor,
              sizeof info->governor);
    if (hwloc_topology_init(&topology) != 0)
        return;
    if (hwloc_topology_load(topology) == 0)
        load_processors(info, topology);
    hwloc_topology_destroy(topology);
    if (info->cpu[0] == '\0' &&
        !read_field("/proc/cpuinfo", "model name", info->cpu, sizeof info->cpu))
        snprintf(info->cpu, sizeof info->cpu, "CPU (%.64s)", info->architecture);
}
