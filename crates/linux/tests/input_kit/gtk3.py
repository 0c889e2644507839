import sys
import gi
gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk

title, place = sys.argv[1:3]
x, y = map(int, place.split(","))
win = Gtk.Window(title=title)
box = Gtk.VBox()
area = Gtk.DrawingArea()
area.set_size_request(300, 100)
M = Gdk.EventMask
area.add_events(M.BUTTON_PRESS_MASK | M.BUTTON_RELEASE_MASK | M.POINTER_MOTION_MASK | M.SCROLL_MASK)
entry = Gtk.Entry()


def say(*words):
    print(*words, sep=" ", flush=True)


def mods(state):
    return ",".join(n for n, b in (("shift", 1), ("ctrl", 4)) if state & b)


def down(_, e):
    if e.type == Gdk.EventType.BUTTON_PRESS:
        say("down", int(e.x), int(e.y), mods(e.state))


def moved(_, e):
    if e.state & Gdk.ModifierType.BUTTON1_MASK:
        say("drag", int(e.x), int(e.y))


def key(_, e):
    name = {"iso_left_tab": "backtab"}.get(Gdk.keyval_name(e.keyval).lower(), Gdk.keyval_name(e.keyval).lower())
    say("key", name, mods(e.state))
    return name in ("backtab", "tab", "return")


area.connect("button-press-event", down)
area.connect("button-release-event", lambda _, e: say("up", int(e.x), int(e.y)))
area.connect("motion-notify-event", moved)
area.connect("scroll-event", lambda _, e: say("wheel", e.direction.value_nick))
entry.connect("changed", lambda _: say("text", entry.get_text()))
win.connect("key-press-event", key)
box.pack_start(area, True, True, 0)
box.pack_start(entry, False, False, 0)
win.add(box)
win.move(x, y)
win.show_all()
entry.grab_focus()
GLib.timeout_add(300, lambda: say("ready"))
Gtk.main()
