/* What the board does with its servos; the header explains it. */
#include "sera_servos.h"

#include <string.h>

#define THOUSANDTHS ((int32_t)1000)
#define LONGEST_STEP_MS 100 /* after a stall the servos go on, they do not catch up */
#define MEMORY_MARK 0x5E

#define SERVO(pin, lower, upper, full, us_at_zero, us_at_full, speed, start) \
    {pin, lower, upper, full, us_at_zero, us_at_full, speed, start},
const sera_servo sera_servo_settings[SERA_SERVOS] = {SERA_SERVO_TABLE};
#undef SERVO

static uint16_t within_limits(uint8_t servo, uint16_t tenths) {
    const sera_servo *settings = &sera_servo_settings[servo];
    if (tenths < settings->lower_tenths) {
        return settings->lower_tenths;
    }
    return tenths > settings->upper_tenths ? settings->upper_tenths : tenths;
}

static uint16_t read_tenths(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] | ((uint16_t)bytes[1] << 8));
}

static void write_tenths(uint8_t *bytes, uint16_t tenths) {
    bytes[0] = (uint8_t)(tenths & 0xFF);
    bytes[1] = (uint8_t)(tenths >> 8);
}

uint8_t sera_board_state(const sera_board *board) {
    return board->state == SERA_FOLLOWS && board->is_silent ? (uint8_t)SERA_HOLDS : board->state;
}

bool sera_board_is_stiff(const sera_board *board) {
    return board->state == SERA_FOLLOWS || board->state == SERA_HOLDS;
}

uint16_t sera_board_position_tenths(const sera_board *board, uint8_t servo) {
    return (uint16_t)((board->positions[servo] + THOUSANDTHS / 2) / THOUSANDTHS);
}

uint16_t sera_board_pulse_us(const sera_board *board, uint8_t servo) {
    const sera_servo *settings = &sera_servo_settings[servo];
    /* A servo that turns the other way round has the longer pulse at zero. */
    int32_t span_us = (int32_t)settings->us_at_full - settings->us_at_zero;
    int32_t tenths = sera_board_position_tenths(board, servo);
    return (uint16_t)(settings->us_at_zero + span_us * tenths / settings->full_tenths);
}

static void stay_here(sera_board *board) {
    for (uint8_t servo = 0; servo < SERA_SERVOS; servo++) {
        board->goals_tenths[servo] = sera_board_position_tenths(board, servo);
    }
}

static void become(sera_board *board, uint8_t state) {
    stay_here(board);
    board->state = state;
    board->is_silent = false;
    board->should_remember = state != SERA_FOLLOWS;
}

bool sera_memory_is_valid(const uint8_t *memory) {
    return memory[0] == (MEMORY_MARK ^ SERA_SERVOS) &&
           sera_crc8(memory, SERA_MEMORY_BYTES - 1) == memory[SERA_MEMORY_BYTES - 1];
}

void sera_board_begin(sera_board *board, const uint8_t *memory, uint32_t now_ms) {
    memset(board, 0, sizeof *board);
    bool is_known = sera_memory_is_valid(memory);
    for (uint8_t servo = 0; servo < SERA_SERVOS; servo++) {
        uint16_t tenths = is_known ? read_tenths(memory + 1 + 2 * servo)
                                   : sera_servo_settings[servo].start_tenths;
        board->positions[servo] = within_limits(servo, tenths) * THOUSANDTHS;
    }
    become(board, SERA_LIMP);
    board->should_remember = false;
    board->last_valid_ms = board->last_byte_ms = board->last_step_ms = now_ms;
}

void sera_board_write_memory(const sera_board *board, uint8_t *memory) {
    memory[0] = MEMORY_MARK ^ SERA_SERVOS;
    for (uint8_t servo = 0; servo < SERA_SERVOS; servo++) {
        write_tenths(memory + 1 + 2 * servo, sera_board_position_tenths(board, servo));
    }
    memory[SERA_MEMORY_BYTES - 1] = sera_crc8(memory, SERA_MEMORY_BYTES - 1);
}

bool sera_board_remember(sera_board *board, uint8_t *memory) {
    if (!board->should_remember) {
        return false;
    }
    board->should_remember = false;
    sera_board_write_memory(board, memory);
    return true;
}

static void move(sera_board *board, const uint8_t *payload) {
    if (board->state != SERA_FOLLOWS) {
        return;
    }
    board->is_silent = false;
    board->should_remember = false;
    for (uint8_t servo = 0; servo < SERA_SERVOS; servo++) {
        board->goals_tenths[servo] = within_limits(servo, read_tenths(payload + 2 * servo));
    }
    memcpy(board->lights, payload + 2 * SERA_SERVOS, SERA_LIGHTS);
}

static void answer(const sera_board *board, const sera_frame *frame, sera_send send) {
    uint8_t payload[SERA_LONGEST_ANSWER - SERA_OVERHEAD];
    uint8_t bytes[SERA_LONGEST_ANSWER];
    uint8_t kind = SERA_ACKNOWLEDGE;
    uint8_t length = 1;
    payload[0] = sera_board_state(board);
    if (frame->kind == SERA_HELLO) {
        kind = SERA_WELCOME;
        payload[0] = SERA_PROTOCOL_VERSION;
        payload[1] = SERA_SERVOS;
        payload[2] = SERA_LIGHTS;
        length = SERA_WELCOME_BYTES;
    } else if (frame->kind == SERA_MEASURE) {
        kind = SERA_MEASURED;
        for (uint8_t servo = 0; servo < SERA_SERVOS; servo++) {
            write_tenths(payload + 1 + 2 * servo, sera_board_position_tenths(board, servo));
        }
        length = SERA_MEASURED_BYTES;
    }
    send(bytes, sera_encode(kind, frame->sequence, payload, length, bytes));
}

static void obey(sera_board *board, const sera_frame *frame, uint32_t now_ms, sera_send send) {
    board->last_valid_ms = now_ms;
    switch (frame->kind) {
        case SERA_MOVE:
            move(board, frame->payload);
            break;
        case SERA_STOP:
            become(board, frame->payload[0] == 1 ? SERA_LIMP : SERA_HOLDS);
            break;
        case SERA_RELEASE:
            become(board, SERA_FOLLOWS);
            break;
        case SERA_REST:
            become(board, SERA_RESTS);
            break;
        default:
            break; /* HELLO and MEASURE only want an answer */
    }
    answer(board, frame, send);
}

static void obey_what_is_complete(sera_board *board, uint32_t now_ms, sera_send send) {
    sera_frame frame;
    while (sera_decoder_next(&board->decoder, &frame)) {
        obey(board, &frame, now_ms, send);
    }
}

void sera_board_receive(sera_board *board, uint8_t byte, uint32_t now_ms, sera_send send) {
    board->last_byte_ms = now_ms;
    sera_decoder_put(&board->decoder, byte);
    obey_what_is_complete(board, now_ms, send);
}

static void step(sera_board *board, uint32_t now_ms) {
    uint32_t elapsed_ms = now_ms - board->last_step_ms;
    board->last_step_ms = now_ms;
    if (board->state != SERA_FOLLOWS || board->is_silent || elapsed_ms == 0) {
        return;
    }
    if (elapsed_ms > LONGEST_STEP_MS) {
        elapsed_ms = LONGEST_STEP_MS;
    }
    for (uint8_t servo = 0; servo < SERA_SERVOS; servo++) {
        int32_t most = (int32_t)sera_servo_settings[servo].most_tenths_per_s * (int32_t)elapsed_ms;
        int32_t way = board->goals_tenths[servo] * THOUSANDTHS - board->positions[servo];
        if (way > most) {
            way = most;
        } else if (way < -most) {
            way = -most;
        }
        board->positions[servo] += way;
    }
}

void sera_board_tick(sera_board *board, uint32_t now_ms, sera_send send) {
    if (now_ms - board->last_byte_ms >= SERA_GAP_MS) {
        while (board->decoder.count > 0) {
            sera_decoder_give_up(&board->decoder);
            obey_what_is_complete(board, now_ms, send);
        }
    }
    /* The step first: time up to the moment of silence still belongs to the motion. */
    step(board, now_ms);
    if (board->state == SERA_FOLLOWS && !board->is_silent &&
        now_ms - board->last_valid_ms >= SERA_SILENCE_MS) {
        stay_here(board);
        board->is_silent = true;
        board->should_remember = true;
    }
}
