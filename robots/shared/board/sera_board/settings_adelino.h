/* Adelino: five servos in the order of SERA's layout, and two LEDs.
 *
 * SERVO(pin, lower, upper, full, us_at_zero, us_at_full, speed, start)
 *   lower, upper  the range that the servo may take, in tenths of a degree
 *   full          the position, in tenths, that us_at_full belongs to
 *   us_at_...     length of the pulse at position 0 and at `full`, in microseconds
 *   speed         the most that the board itself allows, in tenths a second
 *   start         where the servo is taken to be when nothing is remembered, in tenths
 *
 * SERA moves this body at 90 degrees a second; the board's own limit stands a third above, so that
 * it only acts where the computer errs.
 */
#ifndef SERA_SETTINGS_ADELINO_H
#define SERA_SETTINGS_ADELINO_H

#define SERA_SERVOS 5
#define SERA_LIGHTS 2

#define SERA_SERVO_TABLE                                                         \
    SERVO(8, 0, 1800, 1800, 544, 2400, 1200, 900)  /* base */                    \
    SERVO(9, 0, 1800, 1800, 544, 2400, 1200, 900)  /* lower_bend */              \
    SERVO(10, 0, 1800, 1800, 544, 2400, 1200, 900) /* upper_bend */              \
    SERVO(11, 0, 1800, 1800, 544, 2400, 1200, 900) /* head_bend */               \
    SERVO(12, 0, 1800, 1800, 544, 2400, 1200, 900) /* head_twist */

/* Pins with PWM. The Servo library takes the timer of 9 and 10: lights would not dim there. */
#define SERA_LIGHT_PINS 5, 6 /* left_eye, right_eye */

#endif
