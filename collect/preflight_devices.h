#ifndef RANKLEDGER_PREFLIGHT_DEVICES_H
#define RANKLEDGER_PREFLIGHT_DEVICES_H

#include "preflight_checks.h"
#include "run_devices.h"

/*
 * Adds what there is of the backend's devices and libraries, for checks->world_size ranks: nothing
 * for a backend that computes on the host. `share`: ranks may share a device.
 */
void preflight_devices_check(struct preflight_checks *checks, const char *backend, bool share);

/* The same of devices that were looked at. */
void preflight_devices_judge(struct preflight_checks *checks, const struct run_devices *devices,
                             bool share);

#endif
