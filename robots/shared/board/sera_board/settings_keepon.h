/* Keepon: pan, roll and tilt (degrees, 90 is straight) and bop (percent), in the order of SERA's
 * layout; no lights. `settings_adelino.h` explains the columns.
 *
 * Roll and tilt need 65 to 115 degrees; the range leaves 15 degrees on each side for horns that sit
 * a tooth further (`sera robot calibrate`). SERA moves the joints at 180 degrees a second and the
 * bop at 600 percent a second; the board's own limits stand a third above.
 */
#ifndef SERA_SETTINGS_KEEPON_H
#define SERA_SETTINGS_KEEPON_H

#define SERA_SERVOS 4
#define SERA_LIGHTS 0

#define SERA_SERVO_TABLE                                                         \
    SERVO(8, 0, 1800, 1800, 544, 2400, 2400, 900)     /* pan */                  \
    SERVO(9, 500, 1300, 1800, 544, 2400, 2400, 900)   /* roll */                 \
    SERVO(10, 500, 1300, 1800, 544, 2400, 2400, 900)  /* tilt */                 \
    SERVO(11, 0, 1000, 1000, 1000, 2000, 8000, 0)     /* bop */

#endif
