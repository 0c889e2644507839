#!/usr/bin/python3
"""A window for measuring: `window.py gtk3|gtk4 BUTTONS [animated] [counted] [named]`. Prints `clicked N T` and `text TEXT T`
with T in milliseconds of the monotonic clock."""
import sys
import time

import gi

kind, buttons = sys.argv[1], int(sys.argv[2])
animated = "animated" in sys.argv
counted = "counted" in sys.argv
named = "named" in sys.argv
gi.require_version("Gtk", "3.0" if kind == "gtk3" else "4.0")
from gi.repository import Gio, GLib, Gtk  # noqa: E402

ROW = 12


def say(*words):
    print(*words, f"{time.monotonic() * 1e3:.3f}", flush=True)


count = Gtk.Label(label="0 clicks")


def clicked(n):
    say("clicked", n)
    if counted:
        count.set_text(f"{int(count.get_text().split()[0]) + 1} clicks")
    if named:
        count.set_text(f"B{n} was clicked")


def fill(window):
    grid = Gtk.Grid()
    for n in range(buttons):
        button = Gtk.Button(label=f"B{n}")
        button.connect("clicked", lambda _, n=n: clicked(n))
        grid.attach(button, n % ROW, n // ROW, 1, 1)
    entry = Gtk.Entry()
    entry.connect("changed", lambda e: say("text", len(e.get_text())))
    grid.attach(entry, 0, buttons // ROW + 1, ROW, 1)
    if animated:
        bar = Gtk.ProgressBar()
        GLib.timeout_add(50, lambda: bar.pulse() or True)
        grid.attach(bar, 0, buttons // ROW + 2, ROW, 1)
    if counted or named:
        grid.attach(count, 0, buttons // ROW + 3, ROW, 1)
    if kind == "gtk3":
        window.add(grid)
        window.show_all()
    else:
        window.set_child(grid)
        window.present()


GLib.set_prgname(f"bench-{kind}")
if kind == "gtk3":
    top = Gtk.Window(title="bench gtk3")
    top.connect("destroy", Gtk.main_quit)
    fill(top)
    Gtk.main()
else:
    application = Gtk.Application(application_id="bench.gtk4", flags=Gio.ApplicationFlags.NON_UNIQUE)
    application.connect("activate", lambda a: fill(Gtk.ApplicationWindow(application=a, title="bench gtk4")))
    application.run([])
