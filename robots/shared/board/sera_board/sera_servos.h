/* What the board does with its servos: orders, limits, speed, watchdog, memory of the pose.
 *
 * States: it starts limp, because nobody has said yet that it may move. RELEASE lets it follow;
 * STOP holds or lets go, REST lets go, and only RELEASE ends either. Where nothing valid has come
 * for half a second, a following board holds by itself; the next MOVE ends that.
 *
 * Positions are tenths of a servo unit (a degree, or a percent). Hobby servos measure nothing: the
 * position is where the board has led them, which the speed limit keeps close to where they are.
 *
 * No Arduino header, no dynamic memory, no floating point. Times are milliseconds that may wrap.
 */
#ifndef SERA_SERVOS_H
#define SERA_SERVOS_H

#include "sera_framing.h"

#define SERA_SILENCE_MS 500
#define SERA_GAP_MS 20
#define SERA_MEMORY_BYTES (2 + 2 * SERA_SERVOS)

#ifdef __cplusplus
extern "C" {
#endif

enum sera_state { SERA_FOLLOWS = 0, SERA_HOLDS = 1, SERA_LIMP = 2, SERA_RESTS = 3 };

/* One servo, as the robot's settings have it. */
typedef struct {
    uint8_t pin;
    uint16_t lower_tenths;
    uint16_t upper_tenths;
    uint16_t full_tenths;
    uint16_t us_at_zero;
    uint16_t us_at_full;
    uint16_t most_tenths_per_s;
    uint16_t start_tenths;
} sera_servo;

typedef struct {
    sera_decoder decoder;
    /* In thousandths of a tenth: speed times milliseconds is exact, without a division. */
    int32_t positions[SERA_SERVOS];
    uint16_t goals_tenths[SERA_SERVOS];
    uint8_t lights[SERA_LIGHTS + 1]; /* one more, since an array of none is no C */
    uint8_t state;
    bool is_silent;
    bool should_remember;
    uint32_t last_valid_ms;
    uint32_t last_byte_ms;
    uint32_t last_step_ms;
} sera_board;

/* How answers leave the board. */
typedef void (*sera_send)(const uint8_t *bytes, uint8_t count);

extern const sera_servo sera_servo_settings[SERA_SERVOS];

/* Start limp where `memory` (SERA_MEMORY_BYTES) says, or where the settings say if it is spoilt. */
void sera_board_begin(sera_board *board, const uint8_t *memory, uint32_t now_ms);

/* Take one byte from the line, and obey and answer what it completes. */
void sera_board_receive(sera_board *board, uint8_t byte, uint32_t now_ms, sera_send send);

/* Let time pass: motion, watchdog, gaps within frames. Call it as often as possible. */
void sera_board_tick(sera_board *board, uint32_t now_ms, sera_send send);

/* What the board does, as it tells the computer. */
uint8_t sera_board_state(const sera_board *board);

/* True while servos get pulses. */
bool sera_board_is_stiff(const sera_board *board);

uint16_t sera_board_position_tenths(const sera_board *board, uint8_t servo);

/* The pulse for a servo's position now, in microseconds. */
uint16_t sera_board_pulse_us(const sera_board *board, uint8_t servo);

/* True for what `sera_board_write_memory` has written for this robot, and nobody has spoilt. */
bool sera_memory_is_valid(const uint8_t *memory);

/* Write the pose for `sera_board_begin`. */
void sera_board_write_memory(const sera_board *board, uint8_t *memory);

/* The same, once after each motion; false where there is nothing to store for good now. */
bool sera_board_remember(sera_board *board, uint8_t *memory);

#ifdef __cplusplus
}
#endif

#endif
