/* Which robot this board drives: change the one line below, or build with -DSERA_ROBOT=2.
 *
 * Every robot has a header of its own with its pins, pulses, limits and speeds.
 */
#ifndef SERA_SETTINGS_H
#define SERA_SETTINGS_H

#define SERA_ADELINO 1
#define SERA_KEEPON 2

#ifndef SERA_ROBOT
#define SERA_ROBOT SERA_ADELINO
#endif

#if SERA_ROBOT == SERA_ADELINO
#include "settings_adelino.h"
#elif SERA_ROBOT == SERA_KEEPON
#include "settings_keepon.h"
#else
#error "SERA_ROBOT must be SERA_ADELINO (1) or SERA_KEEPON (2)"
#endif

#endif
