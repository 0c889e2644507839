"""A window that changes when it is told to: `changing.py 3.0|4.0`, then one change per line; answers `done CHANGE`."""
import sys, gi
four = sys.argv[1] == '4.0'
gi.require_version('Gtk', sys.argv[1])
from gi.repository import GLib, Gtk

def named(w, name):
    if four: w.update_property([Gtk.AccessibleProperty.LABEL], [name])
    else: w.get_accessible().set_name(name)
    return w
def add(box, w):
    if four: box.append(w)
    else: box.pack_start(w, False, False, 0); w.show_all()
def put(w, child):
    if four: w.set_child(child)
    else: w.add(child)

win = Gtk.Window(title='Changing'); win.set_default_size(420, 460)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL); put(win, box)
label = Gtk.Label(label='Words'); button = Gtk.Button(label='Press'); check = Gtk.CheckButton(label='Agree')
entry = named(Gtk.Entry(), 'Name'); entry.set_text('Ada')
town = Gtk.Entry(); town.set_text('Rome'); town_label = Gtk.Label(label='Town'); town_label.set_mnemonic_widget(town)
scale = named(Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 5), 'Level'); scale.set_value(30)
bar = Gtk.ProgressBar(); bar.set_fraction(0.2)
combo = named(Gtk.ComboBoxText(), 'Colour')
for o in ('red', 'green', 'blue'): combo.append_text(o)
combo.set_active(1)
more = Gtk.Expander(label='More'); put(more, Gtk.Label(label='inside'))
text = Gtk.TextView(); text.get_buffer().set_text('some text')
book = Gtk.Notebook(); book.append_page(Gtk.Label(label='one'), Gtk.Label(label='First')); book.append_page(Gtk.Label(label='two'), Gtk.Label(label='Second'))
scroll = Gtk.ScrolledWindow(); scroll.set_size_request(-1, 80)
rows = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
for n in range(12): add(rows, Gtk.Button(label=f'Row {n}'))
put(scroll, rows)
for w in (label, button, check, entry, town_label, town, scale, bar, combo, more, text, book, scroll): add(box, w)
extra = []
def insert():
    b = Gtk.Button(label=f'New {len(extra)}'); extra.append(b); add(box, b)
def remove(): box.remove(extra.pop())
def twin():
    b = Gtk.Button(label='Press'); add(box, b); extra.append(b)
def first(w):
    if four: box.reorder_child_after(w, None)
    else: box.reorder_child(w, 0)
def swap():
    global button
    box.remove(button); button = Gtk.Button(label='Press'); add(box, button)
CHANGES = {
    'label': lambda: label.set_text('Other words'), 'button': lambda: button.set_label('Pressed'),
    'disable': lambda: button.set_sensitive(False), 'enable': lambda: button.set_sensitive(True),
    'check': lambda: check.set_active(True), 'uncheck': lambda: check.set_active(False),
    'type': lambda: entry.set_text('Grace'), 'same length': lambda: entry.set_text('Hedyx'), 'empty': lambda: entry.set_text(''),
    'town': lambda: town_label.set_text('City'), 'level': lambda: scale.set_value(70), 'bar': lambda: bar.set_fraction(0.8),
    'choose': lambda: combo.set_active(2), 'expand': lambda: more.set_expanded(True), 'fold': lambda: more.set_expanded(False),
    'write': lambda: text.get_buffer().set_text('other'), 'page': lambda: book.set_current_page(1),
    'scroll': lambda: scroll.get_vadjustment().set_value(120), 'back': lambda: scroll.get_vadjustment().set_value(0),
    'insert': insert, 'remove': remove, 'twin': twin, 'first': lambda: first(check), 'last but one': lambda: first(label), 'swap': swap,
    'hide': lambda: label.set_visible(False), 'show': lambda: label.set_visible(True),
    'hide all': lambda: scroll.set_visible(False), 'show all': lambda: scroll.set_visible(True),
    'rename': lambda: named(entry, 'Full name'), 'focus': lambda: town.grab_focus(), 'focus check': lambda: check.grab_focus(),
    'tip': lambda: button.set_tooltip_text('a tip'), 'wide': lambda: label.set_size_request(-1, 60), 'readonly': lambda: entry.set_editable(False),
    'title': lambda: win.set_title('Changing'), 'nothing': lambda: None,
}
def read(source, _):
    line = source.readline()
    if not line: return False
    CHANGES[line.strip()](); print('done', line.strip(), flush=True)
    return True
GLib.io_add_watch(sys.stdin, GLib.IO_IN, read)
if four: win.present()
else: win.show_all()
print('changes', ','.join(CHANGES), flush=True)
GLib.MainLoop().run()
