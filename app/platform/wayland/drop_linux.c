#define _GNU_SOURCE // pipe2
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wayland-client.h>
#include "drop.h"
#include "_cgo_export.h"

// The types that are taken, the best first; the same as Go's types.
static const char *const types[] = {"text/uri-list", "text/plain;charset=utf-8", "text/plain"};
enum { TYPES = sizeof types / sizeof *types };

// An offer is what somebody wants to hand over: it is announced with its types,
// then either enters a surface or becomes the clipboard's.
struct offer {
	struct wl_data_offer *proxy; // NULL: none
	int type;                    // index into types, TYPES for none of them
	uint32_t action;             // what the compositor has settled on
};

struct strata_drop {
	struct wl_display *display;
	struct wl_surface *surface;
	struct wl_registry *registry;
	struct wl_seat *seat;
	struct wl_data_device_manager *manager;
	struct wl_data_device *device;
	struct offer announced, dragged, dropped;
	uint32_t serial;
	uintptr_t handle;
};

static int has_actions(struct wl_data_offer *o) {
	return wl_proxy_get_version((struct wl_proxy *)o) >= WL_DATA_OFFER_SET_ACTIONS_SINCE_VERSION;
}

static void discard(struct offer *o) {
	if (o->proxy) wl_data_offer_destroy(o->proxy);
	memset(o, 0, sizeof *o);
}

static void offer_type(void *data, struct wl_data_offer *proxy, const char *type) {
	struct strata_drop *d = data;
	if (proxy != d->announced.proxy) return;
	for (int i = 0; i < d->announced.type; i++)
		if (strcmp(type, types[i]) == 0) d->announced.type = i;
}
static void offer_source_actions(void *data, struct wl_data_offer *proxy, uint32_t actions) {}
static void offer_action(void *data, struct wl_data_offer *proxy, uint32_t action) {
	struct strata_drop *d = data;
	struct offer *all[] = {&d->announced, &d->dragged, &d->dropped};
	for (int i = 0; i < 3; i++)
		if (all[i]->proxy == proxy) all[i]->action = action;
}
static const struct wl_data_offer_listener offer_listener = {offer_type, offer_source_actions, offer_action};

static void accept_offer(struct strata_drop *d, int accept) {
	struct wl_data_offer *o = d->dragged.proxy;
	uint32_t action = accept ? WL_DATA_DEVICE_MANAGER_DND_ACTION_COPY : WL_DATA_DEVICE_MANAGER_DND_ACTION_NONE;
	wl_data_offer_accept(o, d->serial, accept ? types[d->dragged.type] : NULL);
	if (has_actions(o)) wl_data_offer_set_actions(o, action, action);
}

// receive asks for the data and returns where they can be read, -1 for nowhere.
static int receive(struct strata_drop *d) {
	int ends[2];
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) return -1;
	fcntl(ends[1], F_SETFL, 0); // the writer need not know of it
	wl_data_offer_receive(d->dragged.proxy, types[d->dragged.type], ends[1]);
	wl_display_flush(d->display);
	close(ends[1]);
	return ends[0];
}

static void device_offer(void *data, struct wl_data_device *device, struct wl_data_offer *proxy) {
	struct strata_drop *d = data;
	discard(&d->announced);
	d->announced.proxy = proxy;
	d->announced.type = TYPES;
	wl_data_offer_add_listener(proxy, &offer_listener, d);
}
static void device_enter(void *data, struct wl_data_device *device, uint32_t serial, struct wl_surface *surface,
		wl_fixed_t x, wl_fixed_t y, struct wl_data_offer *proxy) {
	struct strata_drop *d = data;
	discard(&d->dragged);
	if (!proxy || proxy != d->announced.proxy) return;
	d->dragged = d->announced;
	memset(&d->announced, 0, sizeof d->announced);
	d->serial = serial;
	int useful = d->dragged.type < TYPES && surface == d->surface;
	if (!useful) d->dragged.type = TYPES;
	accept_offer(d, useful);
	if (useful) strataWaylandEnter(d->handle, d->dragged.type, receive(d));
}
static void device_leave(void *data, struct wl_data_device *device) {
	struct strata_drop *d = data;
	discard(&d->dragged);
	strataWaylandLeave(d->handle);
}
static void device_motion(void *data, struct wl_data_device *device, uint32_t time, wl_fixed_t x, wl_fixed_t y) {}
static void device_drop(void *data, struct wl_data_device *device) {
	struct strata_drop *d = data;
	if (!d->dragged.proxy || d->dragged.type == TYPES) return;
	discard(&d->dropped);
	d->dropped = d->dragged;
	memset(&d->dragged, 0, sizeof d->dragged); // the leave that may follow is none of it
	strataWaylandDrop(d->handle);
}
static void device_selection(void *data, struct wl_data_device *device, struct wl_data_offer *proxy) {
	struct strata_drop *d = data; // the clipboard is Gio's business
	if (proxy && proxy == d->announced.proxy) discard(&d->announced);
	else if (proxy) wl_data_offer_destroy(proxy);
}
static const struct wl_data_device_listener device_listener = {
	device_offer, device_enter, device_leave, device_motion, device_drop, device_selection};

static void registry_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version) {
	struct strata_drop *d = data;
	if (!d->seat && strcmp(interface, wl_seat_interface.name) == 0)
		d->seat = wl_registry_bind(registry, name, &wl_seat_interface, 1);
	if (!d->manager && strcmp(interface, wl_data_device_manager_interface.name) == 0)
		d->manager = wl_registry_bind(registry, name, &wl_data_device_manager_interface, version < 3 ? version : 3);
	if (d->device || !d->seat || !d->manager) return;
	d->device = wl_data_device_manager_get_data_device(d->manager, d->seat);
	wl_data_device_add_listener(d->device, &device_listener, d);
}
static void registry_remove(void *data, struct wl_registry *registry, uint32_t name) {}
static const struct wl_registry_listener registry_listener = {registry_global, registry_remove};

struct strata_drop *strata_drop_new(void *display, void *surface, uintptr_t handle) {
	struct strata_drop *d = calloc(1, sizeof *d);
	if (!d) return NULL;
	d->display = display;
	d->surface = surface;
	d->handle = handle;
	// On the default queue: Gio dispatches it, and so nothing of ours can run
	// after Gio has closed the display.
	d->registry = wl_display_get_registry(d->display);
	if (!d->registry) {
		free(d);
		return NULL;
	}
	wl_registry_add_listener(d->registry, &registry_listener, d);
	wl_display_flush(d->display);
	return d;
}

// Says whether the drag's data turned out to be of use.
void strata_drop_accept(struct strata_drop *d, int accept) {
	if (!d->dragged.proxy || d->dragged.type == TYPES) return;
	accept_offer(d, accept);
	wl_display_flush(d->display);
}

// Ends a drop, once the data have been read. Finishing one that the compositor
// settled no action for is a protocol error, which would end the program.
void strata_drop_finish(struct strata_drop *d, int taken) {
	if (!d->dropped.proxy) return;
	if (taken && has_actions(d->dropped.proxy) && d->dropped.action != WL_DATA_DEVICE_MANAGER_DND_ACTION_NONE)
		wl_data_offer_finish(d->dropped.proxy);
	discard(&d->dropped);
	wl_display_flush(d->display);
}

void strata_drop_free(struct strata_drop *d) {
	free(d);
}
