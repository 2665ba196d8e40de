/* The firmware as a program: a board for tests, on any file descriptors, or under a fuzzer.
 *
 *     firmware_host run hand|real EEPROM_FILE CONTROL   line on 0 and 1, control on that descriptor
 *     firmware_host fuzz SEED ROUNDS                    random and nearly right bytes, invariants
 *     firmware_host settings                            lower, upper and speed of each servo, tenths
 *
 * On the control line each request is four bytes, the milliseconds to let pass (little-endian); all
 * that waits on the line is heard first. The answer is one line of numbers:
 *
 *     now_ms board_bytes faults eeprom_writes | at_us pulse_us attached (a servo) | brightness (a light)
 */
#include "_firmware_host.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>

Host host;
HostSerial Serial;
HostEeprom EEPROM;

#include "sera_board.ino"

namespace {

constexpr double SERVO_US_PER_MS = 6.0; /* 600 degrees a second: a hobby servo without load */
const char *eeprom_file = nullptr;
int control = -1;

/* One write into a file that stays open: neither a kill nor a slow disk gets in between. */
void save(int &file, const std::string &path, const uint8_t *bytes, size_t count) {
    if (file < 0) file = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
    if (pwrite(file, bytes, count, 0) != static_cast<ssize_t>(count)) std::exit(2);
}

void load(const std::string &path, uint8_t *bytes, size_t count) {
    FILE *file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) return;
    /* Killed right after opening it, a board leaves an empty file: as if it had none. */
    const size_t found = std::fread(bytes, 1, count, file);
    std::fclose(file);
    if (found != 0 && found != count) std::exit(2);
}

/* EEPROM, and the memory that outlives a restart: whoever takes the power away removes its file. */
void save_memories() {
    static int eeprom = -1;
    static int kept = -1;
    static unsigned saved = 0;
    static uint8_t saved_pose[SERA_MEMORY_BYTES] = {};
    if (saved != host.eeprom_writes) save(eeprom, eeprom_file, host.eeprom, EEPROM_BYTES);
    saved = host.eeprom_writes;
    if (std::memcmp(saved_pose, kept_pose, sizeof saved_pose) == 0) return;
    std::memcpy(saved_pose, kept_pose, sizeof saved_pose);
    save(kept, std::string(eeprom_file) + ".kept", kept_pose, sizeof kept_pose);
}

void load_memories() {
    std::memset(host.eeprom, 0xFF, EEPROM_BYTES); /* as a new chip */
    load(eeprom_file, host.eeprom, EEPROM_BYTES);
    load(std::string(eeprom_file) + ".kept", kept_pose, sizeof kept_pose);
}

void turn_servos() {
    for (HostServo &servo : host.servos) {
        if (!servo.is_attached) continue;
        const double way = servo.pulse_us - servo.at_us;
        servo.at_us += std::fmin(std::fmax(way, -SERVO_US_PER_MS), SERVO_US_PER_MS);
    }
}

void pass_ms(uint32_t duration_ms) {
    for (uint32_t passed = 0; passed < duration_ms; passed++) {
        host.now_ms++;
        loop();
        turn_servos();
    }
}

void put_out() {
    size_t sent = 0;
    while (sent < host.outgoing.size()) {
        const ssize_t count = write(1, host.outgoing.data() + sent, host.outgoing.size() - sent);
        if (count <= 0) break; /* nobody reads: a board does not wait either */
        sent += static_cast<size_t>(count);
    }
    host.outgoing.clear();
}

/* Hear all that waits on the line; false where it is gone. */
bool hear() {
    uint8_t bytes[4096];
    for (;;) {
        const ssize_t count = read(0, bytes, sizeof bytes);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
        if (count <= 0) return false;
        host.incoming.insert(host.incoming.end(), bytes, bytes + count);
    }
    do {
        loop();
    } while (!host.incoming.empty());
    put_out();
    return true;
}

void tell() {
    char text[1024];
    int used = std::snprintf(text, sizeof text, "%u %zu %u %u |", host.now_ms, sizeof(sera_board),
                             host.faults, host.eeprom_writes);
    const size_t size = sizeof text;
    for (const sera_servo &each : sera_servo_settings) {
        const HostServo &servo = host.servos[each.pin];
        used += std::snprintf(text + used, size - static_cast<size_t>(used), " %.0f %d %d",
                              servo.at_us, servo.pulse_us, servo.is_attached);
    }
    used += std::snprintf(text + used, size - static_cast<size_t>(used), " |");
#if SERA_LIGHTS > 0
    for (const uint8_t pin : light_pins) {
        used += std::snprintf(text + used, size - static_cast<size_t>(used), " %d",
                              host.brightness[pin]);
    }
#endif
    used += std::snprintf(text + used, size - static_cast<size_t>(used), "\n");
    if (write(control, text, static_cast<size_t>(used)) != used) std::exit(0);
}

uint32_t real_ms() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint32_t>(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

int run(bool is_real) {
    load_memories();
    setup();
    for (const sera_servo &each : sera_servo_settings) {
        /* The body stands where the board remembers it, as after any orderly end. */
        const ptrdiff_t index = &each - sera_servo_settings;
        host.servos[each.pin].at_us = sera_board_pulse_us(&board, static_cast<uint8_t>(index));
    }
    fcntl(0, F_SETFL, fcntl(0, F_GETFL) | O_NONBLOCK);
    uint32_t heard_ms = real_ms();
    pollfd lines[2] = {{0, POLLIN, 0}, {control, POLLIN, 0}};
    for (;;) {
        if (poll(lines, 2, is_real ? 1 : -1) < 0) return 1;
        if (is_real) {
            const uint32_t now_ms = real_ms();
            pass_ms(now_ms - heard_ms);
            heard_ms = now_ms;
            put_out();
        }
        if ((lines[0].revents & (POLLIN | POLLHUP)) && !hear()) return 0;
        if (lines[1].revents & (POLLIN | POLLHUP)) {
            uint8_t request[4];
            if (read(control, request, 4) != 4) return 0;
            if (!hear()) return 0;
            pass_ms(request[0] | request[1] << 8 | request[2] << 16);
            put_out();
            save_memories(); /* before telling: whoever hears it may take the power away */
            tell();
        }
        save_memories();
    }
}

int fail(const char *what, unsigned long round) {
    std::fprintf(stderr, "round %lu: %s\n", round, what);
    return 1;
}

/* Bytes at random, and frames that are right but for a byte that was lost, added or changed. */
std::string some_bytes(std::mt19937 &chance) {
    std::string bytes;
    if (chance() % 4 == 0) {
        for (unsigned count = chance() % 40; count > 0; count--) {
            bytes += static_cast<char>(chance() % 3 == 0 ? SERA_START : chance());
        }
        return bytes;
    }
    uint8_t payload[120];
    uint8_t frame[125];
    for (uint8_t &byte : payload) byte = static_cast<uint8_t>(chance() % 5 ? chance() : SERA_START);
    /* Kinds 0 and 7 do not exist; moving and being released come often, else all would stand still. */
    const uint8_t kinds[] = {0, 1, 1, 1, 1, 1, 1, 1, 2, 3, 3, 3, 4, 5, 6, 7};
    const uint8_t lengths[] = {SERA_MOVE_BYTES, SERA_MOVE_BYTES, 1, 0, 0, 0, 1, 120};
    const uint8_t kind = kinds[chance() % sizeof kinds];
    const uint8_t sequence = static_cast<uint8_t>(chance());
    const uint8_t count = sera_encode(kind, sequence, payload, lengths[kind], frame);
    bytes.assign(reinterpret_cast<char *>(frame), count);
    const size_t place = chance() % bytes.size();
    switch (chance() % 6) {
        case 0: bytes.erase(place, 1); break;
        case 1: bytes.insert(place, 1, static_cast<char>(chance())); break;
        case 2: bytes[place] = static_cast<char>(chance()); break;
        default: break;
    }
    return bytes;
}

int fuzz(unsigned seed, unsigned long rounds) {
    std::mt19937 chance(seed);
    for (uint8_t &byte : host.eeprom) byte = static_cast<uint8_t>(chance());
    host.now_ms = host.eeprom_busy_until_ms = 0xFFFFF000u; /* the clock wraps on the way */
    setup();
    unsigned long moved = 0;
    for (unsigned long round = 0; round < rounds; round++) {
        for (const char byte : some_bytes(chance)) host.incoming.push_back(static_cast<uint8_t>(byte));
        int32_t before[SERA_SERVOS];
        std::memcpy(before, board.positions, sizeof before);
        const uint32_t since_ms = host.now_ms;
        host.now_ms += chance() % 50 == 0 ? 600 : chance() % 30;
        do {
            loop();
        } while (!host.incoming.empty());
        const int32_t elapsed_ms = static_cast<int32_t>(host.now_ms - since_ms);
        if (board.state > SERA_RESTS) return fail("no such state", round);
        if (board.decoder.count >= SERA_LONGEST_FRAME) return fail("a full decoder waits", round);
        for (int index = 0; index < SERA_SERVOS; index++) {
            const sera_servo &servo = sera_servo_settings[index];
            const int32_t at = board.positions[index];
            const int32_t step = std::abs(at - before[index]);
            moved += step > 0;
            if (at < servo.lower_tenths * 1000 || at > servo.upper_tenths * 1000)
                return fail("a servo left its range", round);
            if (step > servo.most_tenths_per_s * elapsed_ms) return fail("a servo was too fast", round);
            if (host.servos[servo.pin].is_attached != sera_board_is_stiff(&board))
                return fail("pulses do not agree with the state", round);
        }
        if (host.faults) return fail("something was asked that a board cannot do", round);
        host.outgoing.clear();
    }
    std::printf("%lu\n", moved);
    return moved > 0 ? 0 : fail("nothing ever moved", rounds);
}

}  // namespace

int main(int count, char **words) {
    if (count == 5 && !std::strcmp(words[1], "run")) {
        eeprom_file = words[3];
        control = std::atoi(words[4]);
        return run(!std::strcmp(words[2], "real"));
    }
    if (count == 4 && !std::strcmp(words[1], "fuzz")) {
        return fuzz(static_cast<unsigned>(std::atol(words[2])), std::strtoul(words[3], nullptr, 10));
    }
    if (count == 2 && !std::strcmp(words[1], "settings")) {
        for (const sera_servo &servo : sera_servo_settings) {
            std::printf("%u %u %u\n", servo.lower_tenths, servo.upper_tenths, servo.most_tenths_per_s);
        }
        return 0;
    }
    std::fprintf(stderr, "see the head of this file for what can be asked\n");
    return 2;
}
