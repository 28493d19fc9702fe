#include <stdint.h>

// A data device of our own on Gio's display. All functions are called on the
// goroutine that calls the window's Event, which also dispatches our events.
struct strata_drop;
struct strata_drop *strata_drop_new(void *display, void *surface, uintptr_t handle);
void strata_drop_finish(struct strata_drop *d, int taken);
void strata_drop_free(struct strata_drop *d);
void strata_drop_accept(struct strata_drop *d, int accept);
