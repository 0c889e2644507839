#!/usr/bin/python3
import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

from told import COLOURS, TITLE, counter, listen, say  # noqa: E402

GLib.set_prgname("scene-gtk3")
top = Gtk.Window(title=TITLE)
top.set_default_size(420, 420)
top.connect("destroy", Gtk.main_quit)
top.connect("notify::is-active", lambda w, _: say("active", on=w.is_active()))
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
layers = Gtk.Overlay()
layers.add(box)
top.add(layers)
named = {}


def name(widget, label):
    widget.get_accessible().set_name(label)
    named[label] = widget
    return widget


def button(label):
    b = named[label] = Gtk.Button(label=label)
    b.connect("clicked", lambda b: say("clicked", b.get_label()))
    b.connect("button-press-event", lambda b, e: say("pressed", b.get_label(), button=e.button, count=int(e.type) - 3, state=int(e.state) & 13))
    return b


def text(view):
    buf = view.get_buffer()
    return buf.get_text(buf.get_start_iter(), buf.get_end_iter(), True)


bar = Gtk.MenuBar()
for title, items in (("File", ["Save", "Export"]), ("Edit", ["Undo"])):
    head = Gtk.MenuItem(label=title)
    menu = Gtk.Menu()
    head.set_submenu(menu)
    for label in items:
        item = Gtk.MenuItem(label=label)
        item.connect("activate", lambda i: say("menu", i.get_label()))
        menu.append(item)
    bar.append(head)
box.add(bar)

row = Gtk.Box(spacing=4)
box.add(row)
for label in ("OK", "Delete"):
    row.add(button(label))
entry = name(Gtk.Entry(), "Name")
entry.connect("changed", lambda e: say("text", "Name", text=e.get_text()))
entry.connect("activate", lambda e: say("activated", "Name"))
box.add(entry)
secret = name(Gtk.Entry(visibility=False, input_purpose=Gtk.InputPurpose.PASSWORD), "Secret")
secret.connect("changed", lambda e: say("text", "Secret", text=e.get_text()))
box.add(secret)
notes = name(Gtk.TextView(), "Notes")
notes.set_size_request(-1, 80)
notes.get_buffer().connect("changed", lambda b: say("text", "Notes", text=text(notes)))
box.add(notes)
check = named["Agree"] = Gtk.CheckButton(label="Agree")
check.connect("toggled", lambda c: say("checked", "Agree", on=c.get_active()))
box.add(check)
combo = name(Gtk.ComboBoxText(), "Colour")
for colour in COLOURS:
    combo.append_text(colour)
combo.set_active(0)
combo.connect("changed", lambda c: say("chosen", "Colour", value=c.get_active_text()))
box.add(combo)
scale = name(Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1), "Volume")
scale.connect("value-changed", lambda s: say("value", "Volume", value=s.get_value()))
box.add(scale)


def act(order):
    what, label = order["do"], order.get("name", "")
    if what == "insert":
        new = button(label)
        row.pack_start(new, False, False, 0)
        row.reorder_child(new, 0)
        new.show()
    elif what == "remove":
        named[label].destroy()
    elif what == "twin":
        old = named[label]
        at = row.get_children().index(old)
        old.destroy()
        new = button(label)
        row.add(new)
        row.reorder_child(new, at)
        new.show()
    elif what == "rename":
        named[label].set_label(order["to"])
    elif what == "count":
        GLib.timeout_add(order["every"], counter(named[label].set_label))
    elif what == "disable":
        named[label].set_sensitive(False)
    elif what == "hide":
        named[label].hide()
    elif what == "cover":
        lid = button(label)
        lid.set_valign(Gtk.Align.START)
        lid.set_size_request(-1, 150)
        layers.add_overlay(lid)
        lid.show()
    elif what == "move":
        top.move(order["x"], order["y"])
    elif what == "sleep":
        GLib.usleep(int(order["seconds"] * 1e6))
    elif what == "dialog":
        d = Gtk.Dialog(title=label, transient_for=top, modal=True)
        d.add_button("Close", 0)
        d.connect("response", lambda d, _: d.destroy())
        d.show_all()


listen(GLib.idle_add, act)
top.show_all()
GLib.timeout_add(200, lambda: say("ready"))
Gtk.main()
