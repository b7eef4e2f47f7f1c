/* Firmware with a UART: each byte that arrives is handed to a callback (LM3S6965, UART 0, interrupt 5). */
#include <stdint.h>

#define UART_DATA (*(volatile uint32_t *)0x4000C000)
#define UART_FLAGS (*(volatile uint32_t *)0x4000C018)
#define UART_CONTROL (*(volatile uint32_t *)0x4000C030)
#define UART_MASK (*(volatile uint32_t *)0x4000C038)
#define UART_CLEAR (*(volatile uint32_t *)0x4000C044)
#define NVIC_ENABLE (*(volatile uint32_t *)0xE000E100)
#define RECEIVE_EMPTY 0x10

static char message[32];
static volatile unsigned length, messages;

void on_message(const char *text, unsigned size) {
    (void)text;
    (void)size;
    messages++;
}

static void receive(char byte) {
    if (byte == '\n') {
        message[length] = 0;
        on_message(message, length);
        length = 0;
    } else if (length < sizeof message - 1) {
        message[length++] = byte;
    }
}

void IRQ5_Handler(void) {
    while (!(UART_FLAGS & RECEIVE_EMPTY)) receive((char)UART_DATA);
    UART_CLEAR = 0x10;
}

static void say(const char *text) {
    while (*text) UART_DATA = (uint32_t)*text++;
}

int main(void) {
    UART_CONTROL = 0x301;
    UART_MASK = 0x50;
    NVIC_ENABLE = 1 << 5;
    say("ready\n");
    for (unsigned seen = 0;;) {
        if (messages != seen) {
            seen = messages;
            say("got it\n");
        }
    }
}
