/* A small maths library, tested function by function without a line of test code on the board. */
#include <stddef.h>
#include <stdint.h>

static uint32_t seed = 1;

int32_t add(int32_t a, int32_t b) { return a + b; }

int64_t multiply(int64_t a, int64_t b) { return a * b; }

float scale(float value, float factor) { return value * factor; }

double mean(const double *values, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return count ? sum / (double)count : 0;
}

uint32_t next_random(void) {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

struct vector {
    int32_t x, y;
    float length;
};

void turn(struct vector *v) {
    int32_t x = v->x;
    v->x = -v->y;
    v->y = x;
}

uint32_t checksum(const uint8_t *data, size_t size) {
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i++) sum = (sum << 1 | sum >> 31) ^ data[i];
    return sum;
}

int32_t polynomial(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int64_t x) {
    return (int32_t)(a + x * (b + x * (c + x * (d + x * e))));
}
