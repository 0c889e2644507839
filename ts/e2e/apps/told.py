"""What the windows here have in common: they print what they receive as JSON lines, and take changes
as JSON lines of standard input."""
import json
import sys
import threading


def say(what, name="", **more):
    print(json.dumps({"what": what, "name": name, **more}), flush=True)


def listen(later, act):
    """Call `act(order)` in the main loop, by `later`, for each line of standard input."""

    def read():
        for line in sys.stdin:
            order = json.loads(line)
            later(lambda order=order: (act(order), say("did", order["do"])))

    threading.Thread(target=read, daemon=True).start()


def counter(show):
    """Shows another number each time; true, so that a timer goes on."""
    seen = iter(range(1, 1 << 30))
    return lambda: (show(str(next(seen))), True)[1]


TITLE = sys.argv[1] if len(sys.argv) > 1 else "Scene"
COLOURS = ["red", "green", "blue"]
