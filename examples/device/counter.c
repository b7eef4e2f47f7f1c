/* Something to debug: a loop that calls a function. */
static int total;

int square(int value) {
    int result = value * value;
    return result;
}

int accumulate(int limit) {
    int sum = 0;
    for (int i = 1; i <= limit; i++) {
        sum += square(i);
    }
    total = sum;
    return sum;
}

int main(void) {
    int answer = accumulate(3);
    while (answer) {
        answer = accumulate(answer % 5);
    }
    return answer;
}
