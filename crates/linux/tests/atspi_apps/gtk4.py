import sys, gi
gi.require_version('Gtk', '4.0')
gi.require_version('GdkX11', '4.0')
from gi.repository import GdkX11, Gio, GLib, Gtk
what = sys.argv[1]
app = Gtk.Application(application_id='test.form.gtk4', flags=Gio.ApplicationFlags.NON_UNIQUE)
def window(title, *widgets, w=320, h=200):
    win = Gtk.ApplicationWindow(application=app, title=title); win.set_default_size(w, h)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL); win.set_child(box)
    for x in widgets: box.append(x)
    win.present(); return win
def button(label, f=None):
    b = Gtk.Button(label=label); b.connect('clicked', lambda *_: (print('press', label), f and f())); return b
def named(w, name): w.update_property([Gtk.AccessibleProperty.LABEL], [name]); return w
def entry(name, text, kind=Gtk.Entry):
    e = named(kind(), name); e.set_text(text); e.connect('changed', lambda e: print('text', name, e.get_text())); return e
def start(_):
    if what == 'form':
        check = Gtk.CheckButton(label='Agree'); check.set_active(True)
        scale = named(Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 5), 'Level'); scale.set_value(30)
        scale.connect('value-changed', lambda s: print('value', s.get_value()))
        off = button('Off'); off.set_sensitive(False)
        options = ['red', 'green', 'blue']; combo = named(Gtk.DropDown.new_from_strings(options), 'Colour'); combo.set_selected(1)
        window('Form', button('Send'), off, entry('Name', 'Ada'), entry('Word', 'hidden', Gtk.PasswordEntry), check, scale, combo)
    elif what == 'twins':
        window('Twin', button('Left'), w=300); window('Twin', button('Right'), w=420)
    elif what == 'same':
        wins = {label: window('Same', button(label)) for label in ('Left', 'Right')}
        GLib.timeout_add(500, lambda: [print('xid', l, w.get_surface().get_xid()) for l, w in wins.items()] and False)
    elif what == 'gone':
        other = button('Other'); window('Gone', button('Remove', lambda: other.unparent()), other)
    print('ready')
app.connect('activate', start)
app.run([])
