#!/usr/bin/python3
import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, GLib, Gtk  # noqa: E402

from told import COLOURS, TITLE, counter, listen, say  # noqa: E402

GLib.set_prgname("scene-gtk4")
named = {}


def label_of(widget, label):
    widget.update_property([Gtk.AccessibleProperty.LABEL], [label])
    named[label] = widget
    return widget


def button(label):
    b = named[label] = Gtk.Button(label=label)
    b.connect("clicked", lambda b: say("clicked", b.get_label()))
    return b


def text(buf):
    return buf.get_text(buf.get_start_iter(), buf.get_end_iter(), True)


def fill(app):
    top = Gtk.ApplicationWindow(application=app, title=TITLE, default_width=420, default_height=380)
    top.connect("notify::is-active", lambda w, _: say("active", on=w.is_active()))
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
    top.set_child(box)
    row = Gtk.Box(spacing=4)
    box.append(row)
    for label in ("OK", "Delete"):
        row.append(button(label))
    entry = label_of(Gtk.Entry(), "Name")
    entry.connect("changed", lambda e: say("text", "Name", text=e.get_text()))
    entry.connect("activate", lambda e: say("activated", "Name"))
    box.append(entry)
    secret = label_of(Gtk.PasswordEntry(), "Secret")
    secret.connect("changed", lambda e: say("text", "Secret", text=e.get_text()))
    box.append(secret)
    notes = label_of(Gtk.TextView(), "Notes")
    notes.set_size_request(-1, 80)
    notes.get_buffer().connect("changed", lambda b: say("text", "Notes", text=text(b)))
    box.append(notes)
    check = named["Agree"] = Gtk.CheckButton(label="Agree")
    check.connect("toggled", lambda c: say("checked", "Agree", on=c.get_active()))
    box.append(check)
    combo = label_of(Gtk.DropDown.new_from_strings(COLOURS), "Colour")
    combo.connect("notify::selected", lambda c, _: say("chosen", "Colour", value=COLOURS[c.get_selected()]))
    box.append(combo)
    scale = label_of(Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1), "Volume")
    scale.connect("value-changed", lambda s: say("value", "Volume", value=s.get_value()))
    box.append(scale)

    def act(order):
        what, label = order["do"], order.get("name", "")
        if what == "insert":
            row.prepend(button(label))
        elif what == "remove":
            row.remove(named[label])
        elif what == "twin":
            old = named[label]
            before = old.get_prev_sibling()
            row.remove(old)
            row.insert_child_after(button(label), before)
        elif what == "rename":
            named[label].set_label(order["to"])
        elif what == "count":
            GLib.timeout_add(order["every"], counter(named[label].set_label))
        elif what == "disable":
            named[label].set_sensitive(False)
        elif what == "hide":
            named[label].set_visible(False)

    listen(GLib.idle_add, act)
    top.present()
    GLib.timeout_add(300, lambda: say("ready"))


application = Gtk.Application(application_id="scene.gtk4", flags=Gio.ApplicationFlags.NON_UNIQUE)
application.connect("activate", fill)
application.run([])
