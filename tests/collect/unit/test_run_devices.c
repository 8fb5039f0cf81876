#include "run_devices.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preflight_devices.h"

#define GIB (UINT64_C(1) << 30)

/* A host with `count` devices of 80 GiB, all free, that all reach each other. */
static struct run_devices devices_of(size_t count)
{
    struct run_devices devices = {.needed = true, .description = {.count = count}};
    for (size_t i = 0; i < count; i++) {
        struct device_description_device *device = &devices.description.devices[i];
        snprintf(device->name, sizeof device->name, "NVIDIA H200");
        snprintf(device->bus, sizeof device->bus, "0000:0%zu:00.0", i);
        device->memory_bytes = 80 * GIB;
        device->free_bytes = 80 * GIB;
        device->capability_major = 9;
        for (size_t j = 0; j < count; j++)
            device->peer[j] = i != j;
    }
    snprintf(devices.description.driver, sizeof devices.description.driver, "580.1");
    return devices;
}

static struct run_devices_place places[8];
static char why[256];

static bool check(const struct run_devices *devices, uint64_t ranks, bool share)
{
    for (uint64_t rank = 0; rank < ranks; rank++)
        run_devices_place(devices, rank, &places[rank]);
    return run_devices_check(places, ranks, share, why, sizeof why);
}

Test(run_devices, ranks_take_the_devices_in_order)
{
    const struct run_devices devices = devices_of(4);
    cr_assert(check(&devices, 3, false), "%s", why);
    cr_assert_eq(places[2].device.index, 2);
    cr_assert_str_eq(places[2].device.bus, "0000:02:00.0");
    cr_assert_str_eq(places[2].device.driver, "580.1");
    cr_assert_eq(places[2].device.peers, 0xb, "0, 1 and 3");
    cr_assert_eq(places[2].free_bytes, 80 * GIB);
}

Test(run_devices, fewer_devices_than_ranks_are_refused_unless_they_are_shared)
{
    const struct run_devices devices = devices_of(2);
    cr_assert_not(check(&devices, 3, false));
    cr_assert_str_eq(why, "3 ranks on this host need 3 GPUs, and 2 can be seen: --world-size 2, or "
                          "--share-device, an experiment");
    cr_assert(check(&devices, 3, true), "%s", why);
    cr_assert_eq(places[2].device.index, 0);
    cr_assert_eq(run_devices_sharers(places, 3, 2), 2);
    cr_assert_eq(run_devices_sharers(places, 3, 1), 1);
}

Test(run_devices, ranks_that_each_see_their_own_device_do_not_share_it)
{
    for (uint64_t rank = 0; rank < 2; rank++) {
        struct run_devices devices = devices_of(1);
        devices.description.devices[0].bus[6] = (char)('0' + rank);
        run_devices_place(&devices, rank, &places[rank]);
    }
    cr_assert(run_devices_check(places, 2, false, why, sizeof why), "%s", why);
    cr_assert_eq(places[1].device.index, 0);
    strcpy(places[1].device.bus, places[0].device.bus);
    cr_assert_not(run_devices_check(places, 2, false, why, sizeof why));
    places[1].host = 1; /* the same address, elsewhere */
    cr_assert(run_devices_check(places, 2, false, why, sizeof why), "%s", why);
}

Test(run_devices, too_few_on_one_of_several_hosts)
{
    const struct run_devices devices = devices_of(2);
    for (uint64_t rank = 0; rank < 5; rank++) {
        run_devices_place(&devices, rank < 2 ? rank : rank - 2, &places[rank]);
        places[rank].host = rank < 2 ? 0 : 1;
    }
    cr_assert_not(run_devices_check(places, 5, false, why, sizeof why));
    cr_assert_str_eq(why, "3 ranks on a host need 3 GPUs, and 2 can be seen: start at most this "
                          "many there: 2, or --share-device, an experiment");
}

Test(run_devices, what_is_missing_on_any_host_is_told)
{
    const struct run_devices devices = devices_of(1);
    struct run_devices none = {.needed = true, .why = "backend cuda: there is no NVIDIA driver"};
    run_devices_place(&devices, 0, &places[0]);
    run_devices_place(&none, 0, &places[1]);
    places[1].host = 1;
    cr_assert_not(run_devices_check(places, 2, true, why, sizeof why));
    cr_assert_str_eq(why, "rank 1 on another host: backend cuda: there is no NVIDIA driver");
}

Test(run_devices, different_models_are_named_once_each)
{
    struct run_devices devices = devices_of(3);
    char names[128];
    (void)check(&devices, 3, false);
    cr_assert_not(run_devices_mixed(places, 3, names, sizeof names));
    strcpy(devices.description.devices[1].name, "NVIDIA A100");
    (void)check(&devices, 3, false);
    cr_assert(run_devices_mixed(places, 3, names, sizeof names));
    cr_assert_str_eq(names, "NVIDIA H200 and NVIDIA A100");
}

Test(run_devices, sharing_makes_every_rank_a_host_of_its_own)
{
    setenv("NCCL_NET", "IB", 1);
    run_devices_separate(3);
    cr_assert_str_eq(getenv("NCCL_HOSTID"), "rankledger-3");
    cr_assert_str_eq(getenv("NCCL_SHM_DISABLE"), "1");
    cr_assert_str_eq(getenv("NCCL_NET"), "IB", "what the user has set stays");
}

/* ---- what preflight says of them ---- */

static struct preflight_checks checks;

static const struct preflight_check *judged(const struct run_devices *devices, uint64_t ranks,
                                            const char *name)
{
    checks = (struct preflight_checks){.world_size = ranks};
    preflight_devices_judge(&checks, devices, false);
    for (size_t i = 0; i < checks.count; i++)
        if (strcmp(checks.items[i].name, name) == 0)
            return &checks.items[i];
    return NULL;
}

static void expect(const struct preflight_check *check, enum preflight_state state,
                   const char *words)
{
    cr_assert_not_null(check);
    cr_assert_eq(check->state, state, "%s", check->found);
    cr_assert(strstr(check->found, words) != NULL, "%s", check->found);
}

Test(preflight_devices, all_is_well)
{
    const struct run_devices devices = devices_of(3);
    expect(judged(&devices, 2, "driver"), PREFLIGHT_OK, "580.1");
    expect(judged(&devices, 2, "GPUs"), PREFLIGHT_OK,
           "3 visible, for 2 ranks: NVIDIA H200, compute capability 9.0, 80 GiB");
    expect(judged(&devices, 2, "GPU memory"), PREFLIGHT_OK, "80 GiB free of 80 GiB");
    expect(judged(&devices, 2, "peer access"), PREFLIGHT_OK, "between all 2 GPUs");
    cr_assert(preflight_checks_ready(&checks));
}

Test(preflight_devices, too_few_are_missing)
{
    const struct run_devices devices = devices_of(1);
    expect(judged(&devices, 2, "GPUs"), PREFLIGHT_MISSING, "2 ranks on this host need 2 GPUs");
    cr_assert_not(preflight_checks_ready(&checks));
}

Test(preflight_devices, memory_that_another_process_holds_is_seen)
{
    struct run_devices devices = devices_of(2);
    devices.description.devices[1].free_bytes = 20 * GIB;
    expect(judged(&devices, 2, "GPU memory"), PREFLIGHT_WARNING, "20 GiB free of 80 GiB, on GPU 1");
    expect(judged(&devices, 1, "GPU memory"), PREFLIGHT_OK, "on GPU 0");
}

Test(preflight_devices, pairs_without_peer_access_are_named)
{
    struct run_devices devices = devices_of(3);
    devices.description.devices[2].peer[1] = false;
    expect(judged(&devices, 3, "peer access"), PREFLIGHT_WARNING,
           "not between GPU 1 and 2, and 1 of 3 pairs in all");
}

Test(preflight_devices, different_models_are_warned_of)
{
    struct run_devices devices = devices_of(2);
    strcpy(devices.description.devices[1].name, "NVIDIA A100");
    expect(judged(&devices, 2, "GPUs"), PREFLIGHT_WARNING, "NVIDIA H200 and NVIDIA A100");
}
