#!/usr/bin/python3
"""What a script with pyatspi would do: walk a tree node by node. `pyatspi_tree.py PID`, then one
line of standard input for each measurement; answers `MILLISECONDS NODES`."""
import sys
import time

import pyatspi


def walk(node):
    node.name, node.getRole(), node.getState()
    try:
        node.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
    except NotImplementedError:
        pass
    return 1 + sum(walk(child) for child in node if child is not None)


pid = int(sys.argv[1])
app = next(a for a in pyatspi.Registry.getDesktop(0) if a is not None and a.get_process_id() == pid)
print("ready", flush=True)
for _ in sys.stdin:
    start = time.monotonic()
    # A walk that is served from memory would measure nothing.
    app.clear_cache()
    nodes = walk(app)
    print(f"{(time.monotonic() - start) * 1e3:.3f} {nodes}", flush=True)
