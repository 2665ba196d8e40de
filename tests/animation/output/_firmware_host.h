/* As much of an Arduino as the firmware uses: time, serial line, servos, PWM pins and EEPROM.
 *
 * It stands in for Arduino.h, Servo.h and EEPROM.h. Servos turn towards their pulse at a speed of
 * their own, stay where they are without pulses, and note when something impossible is asked.
 */
#ifndef FIRMWARE_HOST_H
#define FIRMWARE_HOST_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#define OUTPUT 1

constexpr int PINS = 20;
constexpr int EEPROM_BYTES = 64;

struct HostServo {
    bool is_attached = false;
    int pulse_us = 1500; /* as the library starts */
    double at_us = 1500.0;
};

struct Host {
    uint32_t now_ms = 0;
    std::deque<uint8_t> incoming;
    std::string outgoing;
    HostServo servos[PINS];
    bool is_output[PINS] = {};
    uint8_t brightness[PINS] = {};
    uint8_t eeprom[EEPROM_BYTES] = {};
    uint32_t eeprom_busy_until_ms = 0;
    unsigned eeprom_writes = 0;
    unsigned faults = 0; /* things that would not work on a board */
};

extern Host host;

inline uint32_t millis() { return host.now_ms; }
inline void pinMode(uint8_t pin, int) { host.is_output[pin] = true; }
inline void analogWrite(uint8_t pin, int level) {
    /* The Servo library takes the timer of pins 9 and 10. */
    const bool has_pwm = pin == 3 || pin == 5 || pin == 6 || pin == 11;
    host.faults += !has_pwm || !host.is_output[pin] || level < 0 || level > 255;
    host.brightness[pin] = static_cast<uint8_t>(level);
}

class HostSerial {
  public:
    void begin(long baud) { host.faults += baud != 115200; }
    int available() { return static_cast<int>(host.incoming.size()); }
    int read() {
        if (host.incoming.empty()) return -1;
        const uint8_t byte = host.incoming.front();
        host.incoming.pop_front();
        return byte;
    }
    size_t write(const uint8_t *bytes, size_t count) {
        host.outgoing.append(reinterpret_cast<const char *>(bytes), count);
        return count;
    }
};
extern HostSerial Serial;

class HostEeprom {
  public:
    uint8_t read(int place) { return host.eeprom[place]; }
    void update(int place, uint8_t byte) {
        if (host.eeprom[place] == byte) return;
        /* The real one would wait here. */
        host.faults += static_cast<int32_t>(host.now_ms - host.eeprom_busy_until_ms) < 0;
        host.eeprom_busy_until_ms = host.now_ms + 4;
        host.eeprom[place] = byte;
        host.eeprom_writes++;
    }
};
extern HostEeprom EEPROM;

class Servo {
  public:
    uint8_t attach(int pin, int least_us, int most_us) {
        pin_ = pin;
        least_us_ = least_us;
        most_us_ = most_us;
        host.servos[pin].is_attached = true;
        host.servos[pin].pulse_us = written_us_;
        return 0;
    }
    void detach() { host.servos[pin_].is_attached = false; }
    void writeMicroseconds(int pulse_us) {
        written_us_ = pulse_us;
        if (pin_ < 0) return;
        host.faults += pulse_us < least_us_ || pulse_us > most_us_;
        host.servos[pin_].pulse_us = pulse_us;
    }

  private:
    int pin_ = -1;
    int written_us_ = 1500;
    int least_us_ = 0;
    int most_us_ = 0;
};

#endif
