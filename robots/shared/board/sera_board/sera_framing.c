/* Frames of SERA's serial protocol; the header explains them. */
#include "sera_framing.h"

#include <string.h>

/* Bitwise rather than by a table: 256 bytes matter more than microseconds on a small board. */
uint8_t sera_crc8(const uint8_t *bytes, uint8_t count) {
    uint8_t check = 0;
    for (uint8_t index = 0; index < count; index++) {
        check ^= bytes[index];
        for (uint8_t bit = 0; bit < 8; bit++) {
            check = (uint8_t)((check & 0x80) ? (check << 1) ^ 0x07 : check << 1);
        }
    }
    return check;
}

/* Only what a computer sends: a board that hears its own answers obeys none of them. */
static bool is_plausible(uint8_t kind, uint8_t length) {
    switch (kind) {
        case SERA_MOVE:
            return length == SERA_MOVE_BYTES;
        case SERA_STOP:
        case SERA_HELLO:
            return length == 1;
        case SERA_RELEASE:
        case SERA_REST:
        case SERA_MEASURE:
            return length == 0;
        default:
            return false;
    }
}

static void skip(sera_decoder *decoder, uint8_t count) {
    decoder->count = (uint8_t)(decoder->count - count);
    memmove(decoder->bytes, decoder->bytes + count, decoder->count);
}

void sera_decoder_put(sera_decoder *decoder, uint8_t byte) {
    if (decoder->count >= SERA_LONGEST_FRAME) {
        skip(decoder, 1); /* cannot happen where `next` was asked; memory must not depend on it */
    }
    decoder->bytes[decoder->count++] = byte;
}

bool sera_decoder_next(sera_decoder *decoder, sera_frame *frame) {
    const uint8_t *bytes = decoder->bytes;
    while (decoder->count > 0) {
        if (bytes[0] != SERA_START) {
            skip(decoder, 1);
            continue;
        }
        if (decoder->count < 3) {
            return false;
        }
        uint8_t length = bytes[1];
        if (!is_plausible(bytes[2], length)) {
            skip(decoder, 1);
            continue;
        }
        if (decoder->count < length + SERA_OVERHEAD) {
            return false;
        }
        if (sera_crc8(bytes + 1, (uint8_t)(length + 3)) != bytes[length + 4]) {
            skip(decoder, 1);
            continue;
        }
        frame->kind = bytes[2];
        frame->sequence = bytes[3];
        memcpy(frame->payload, bytes + 4, length);
        skip(decoder, (uint8_t)(length + SERA_OVERHEAD));
        return true;
    }
    return false;
}

void sera_decoder_give_up(sera_decoder *decoder) {
    if (decoder->count > 0) {
        skip(decoder, 1);
    }
}

uint8_t sera_encode(uint8_t kind, uint8_t sequence, const uint8_t *payload, uint8_t length,
                    uint8_t *target) {
    target[0] = SERA_START;
    target[1] = length;
    target[2] = kind;
    target[3] = sequence;
    memcpy(target + 4, payload, length);
    target[length + 4] = sera_crc8(target + 1, (uint8_t)(length + 3));
    return (uint8_t)(length + SERA_OVERHEAD);
}
