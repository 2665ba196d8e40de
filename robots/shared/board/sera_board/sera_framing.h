/* Frames of SERA's serial protocol: finding them in a stream of bytes, and making them.
 *
 *     0xA5 | length | kind | sequence | payload (length bytes) | check
 *
 * `check` is the CRC-8 with polynomial 0x07 and start value 0 over everything between the start
 * byte and itself. A board knows how long the payload of each kind is on its robot. It refuses a
 * start byte with any other length at once, so that a false start hides at most one frame's worth
 * of bytes: a stop is never kept waiting behind a length that was only noise.
 *
 * No Arduino header, no dynamic memory, no floating point.
 */
#ifndef SERA_FRAMING_H
#define SERA_FRAMING_H

#include <stdbool.h>
#include <stdint.h>

#include "settings.h"

#define SERA_START 0xA5
#define SERA_PROTOCOL_VERSION 1
#define SERA_OVERHEAD 5
#define SERA_MOVE_BYTES (2 * SERA_SERVOS + SERA_LIGHTS)
#define SERA_MEASURED_BYTES (1 + 2 * SERA_SERVOS)
#define SERA_WELCOME_BYTES 3
#define SERA_LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SERA_LONGEST_FRAME (SERA_OVERHEAD + SERA_LARGER(SERA_MOVE_BYTES, 1))
#define SERA_LONGEST_ANSWER (SERA_OVERHEAD + SERA_LARGER(SERA_MEASURED_BYTES, SERA_WELCOME_BYTES))

#if SERA_MOVE_BYTES > 120 || SERA_MEASURED_BYTES > 120
#error "the protocol carries 120 bytes of payload: too many servos and lights"
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum sera_kind {
    SERA_MOVE = 0x01,
    SERA_STOP = 0x02,
    SERA_RELEASE = 0x03,
    SERA_REST = 0x04,
    SERA_MEASURE = 0x05,
    SERA_HELLO = 0x06,
    SERA_ACKNOWLEDGE = 0x81,
    SERA_MEASURED = 0x82,
    SERA_WELCOME = 0x86
};

typedef struct {
    uint8_t kind;
    uint8_t sequence;
    uint8_t payload[SERA_LONGEST_FRAME - SERA_OVERHEAD];
} sera_frame;

typedef struct {
    uint8_t bytes[SERA_LONGEST_FRAME];
    uint8_t count;
} sera_decoder;

uint8_t sera_crc8(const uint8_t *bytes, uint8_t count);

/* Add a byte. Call `sera_decoder_next` until it gives no frame before the next one. */
void sera_decoder_put(sera_decoder *decoder, uint8_t byte);

/* The next complete frame; false where there is none yet. */
bool sera_decoder_next(sera_decoder *decoder, sera_frame *frame);

/* Give up the start byte that waits for the rest of its frame, and look behind it. */
void sera_decoder_give_up(sera_decoder *decoder);

/* Write a frame into `target` (SERA_OVERHEAD bytes and the payload); returns its length. */
uint8_t sera_encode(uint8_t kind, uint8_t sequence, const uint8_t *payload, uint8_t length,
                    uint8_t *target);

#ifdef __cplusplus
}
#endif

#endif
