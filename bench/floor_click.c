// The floor of a click: XTEST in a connection that is open already, to the window's own answer.
//
//   floor_click X Y     then one line of standard input for each click; answers `MILLISECONDS`.
#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

int main(int argc, char **argv) {
    char line[32];
    Display *d = XOpenDisplay(NULL);
    if (argc != 3 || !d) return fprintf(stderr, "usage: floor_click X Y (with a display)\n"), 2;
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        double start = now();
        XTestFakeMotionEvent(d, -1, atoi(argv[1]), atoi(argv[2]), 0);
        XTestFakeButtonEvent(d, 1, True, 0);
        XTestFakeButtonEvent(d, 1, False, 0);
        XSync(d, False);
        printf("%.3f 1\n", now() - start);
        fflush(stdout);
    }
    return 0;
}
