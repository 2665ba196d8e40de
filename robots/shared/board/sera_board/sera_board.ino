/* SERA's side of the serial protocol on an Arduino with hobby servos: pins, pulses, lights, EEPROM.
 *
 * Everything that decides stands in sera_framing.c and sera_servos.c, which know no Arduino.
 * The folder above has the README: wiring, how to flash, how to check.
 */
#include <Arduino.h>
#include <EEPROM.h>
#include <Servo.h>

#include "sera_servos.h"

static const long BAUD = 115200;
static const uint8_t MOST_BYTES_A_ROUND = 64; /* a flooded line must not keep the watchdog waiting */
static const uint32_t EEPROM_BYTE_MS = 5;     /* a byte takes 3.4 ms; waiting for it would lose input */

static sera_board board;
static Servo servos[SERA_SERVOS];
static bool were_stiff = false;
static uint8_t memory[SERA_MEMORY_BYTES];
static uint8_t memory_written = SERA_MEMORY_BYTES;
static uint32_t memory_written_ms = 0;

/* Opening the port restarts most boards, sooner than EEPROM is written. Memory that nobody clears
 * outlives that; EEPROM outlives the power. */
#ifdef __AVR__
#define KEPT __attribute__((section(".noinit")))
#else
#define KEPT
#endif
static const uint32_t KEEP_EVERY_MS = 20;
static uint8_t kept_pose[SERA_MEMORY_BYTES] KEPT;
static uint32_t kept_ms = 0;

#if SERA_LIGHTS > 0
static const uint8_t light_pins[SERA_LIGHTS] = {SERA_LIGHT_PINS};
static uint8_t shown_lights[SERA_LIGHTS];
#endif

static void send(const uint8_t *bytes, uint8_t count) { Serial.write(bytes, count); }

static void drive_servos() {
    const bool are_stiff = sera_board_is_stiff(&board);
    for (uint8_t index = 0; index < SERA_SERVOS; index++) {
        const sera_servo &settings = sera_servo_settings[index];
        if (!are_stiff) {
            if (were_stiff) {
                servos[index].detach();
            }
            continue;
        }
        /* Before attaching too: otherwise the first pulse would be the library's own middle. */
        servos[index].writeMicroseconds(sera_board_pulse_us(&board, index));
        if (!were_stiff) {
            const bool rises = settings.us_at_zero < settings.us_at_full;
            servos[index].attach(settings.pin, rises ? settings.us_at_zero : settings.us_at_full,
                                 rises ? settings.us_at_full : settings.us_at_zero);
            servos[index].writeMicroseconds(sera_board_pulse_us(&board, index));
        }
    }
    were_stiff = are_stiff;
}

static void drive_lights() {
#if SERA_LIGHTS > 0
    for (uint8_t index = 0; index < SERA_LIGHTS; index++) {
        if (board.lights[index] != shown_lights[index]) {
            shown_lights[index] = board.lights[index];
            analogWrite(light_pins[index], shown_lights[index]);
        }
    }
#endif
}

/* The pose survives a restart, so that servos do not jump when they get pulses again. */
static void remember(uint32_t now_ms) {
    if (now_ms - kept_ms >= KEEP_EVERY_MS) {
        sera_board_write_memory(&board, kept_pose);
        kept_ms = now_ms;
    }
    if (sera_board_remember(&board, memory)) {
        memory_written = 0;
    }
    if (memory_written < SERA_MEMORY_BYTES && now_ms - memory_written_ms >= EEPROM_BYTE_MS) {
        EEPROM.update(memory_written, memory[memory_written]);
        memory_written++;
        memory_written_ms = now_ms;
    }
}

void setup() {
    Serial.begin(BAUD);
    for (uint8_t index = 0; index < SERA_MEMORY_BYTES; index++) {
        memory[index] = EEPROM.read(index);
    }
#if SERA_LIGHTS > 0
    for (uint8_t index = 0; index < SERA_LIGHTS; index++) {
        pinMode(light_pins[index], OUTPUT);
        analogWrite(light_pins[index], 0);
    }
#endif
    sera_board_begin(&board, sera_memory_is_valid(kept_pose) ? kept_pose : memory, millis());
}

void loop() {
    const uint32_t now_ms = millis();
    for (uint8_t count = 0; count < MOST_BYTES_A_ROUND && Serial.available() > 0; count++) {
        sera_board_receive(&board, (uint8_t)Serial.read(), now_ms, send);
    }
    sera_board_tick(&board, now_ms, send);
    drive_servos();
    drive_lights();
    remember(now_ms);
}
