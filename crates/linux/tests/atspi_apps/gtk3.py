import sys, gi
gi.require_version('Gtk', '3.0')
from gi.repository import GLib, Gtk
what = sys.argv[1]
def window(title, *widgets, w=320, h=200):
    win = Gtk.Window(title=title); win.set_default_size(w, h)
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL); win.add(box)
    for x in widgets: box.pack_start(x, False, False, 0)
    win.connect('destroy', Gtk.main_quit); win.show_all(); win.box = box
    return win
def button(label, f=None):
    b = Gtk.Button(label=label); b.connect('clicked', lambda *_: (print('press', label), f and f())); return b
def named(w, name): w.get_accessible().set_name(name); return w
def entry(name, text, hidden=False):
    e = named(Gtk.Entry(text=text, visibility=not hidden), name); e.connect('changed', lambda e: print('text', name, e.get_text())); return e
def menu(*labels):
    m = Gtk.Menu()
    for l in labels: i = Gtk.MenuItem(label=l); i.connect('activate', lambda *_, l=l: print('menu', l)); m.append(i)
    m.show_all(); return m
if what == 'form':
    check = Gtk.CheckButton(label='Agree'); check.set_active(True)
    scale = named(Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 5), 'Level'); scale.set_value(30)
    scale.connect('value-changed', lambda s: print('value', s.get_value()))
    combo = named(Gtk.ComboBoxText(), 'Colour')
    for o in ('red', 'green', 'blue'): combo.append_text(o)
    combo.set_active(1); combo.connect('changed', lambda c: print('choose', c.get_active_text()))
    off = button('Off'); off.set_sensitive(False)
    field = Gtk.Entry(text='of a label'); label = Gtk.Label(label='Town'); label.set_mnemonic_widget(field)
    window('Form', button('Send'), off, entry('Name', 'Ada'), entry('Word', 'hidden', True), check, scale, combo, label, field)
elif what == 'twins':
    window('Twin', button('Left')).move(10, 30); window('Twin', button('Right')).move(500, 30)
elif what == 'gone':
    other = button('Other'); other_box = window('Gone', button('Remove', lambda: other.destroy()), other)
elif what == 'hides':
    other = button('Other'); window('Hides', button('Hide', other.hide), other)
elif what == 'fickle':
    fickle = button('Go'); window('Fickle', fickle)
    def turn(): fickle.set_sensitive(not fickle.get_sensitive()); return True
    GLib.timeout_add(2, turn, priority=GLib.PRIORITY_DEFAULT_IDLE)
elif what == 'dialog':
    def run():
        d = Gtk.MessageDialog(transient_for=win, modal=True, buttons=Gtk.ButtonsType.OK_CANCEL, text='Sure?'); d.set_title('Question')
        r = d.run(); print('answer', int(r)); d.destroy()
    win = window('Asks', button('Ask', run), button('Send'))
elif what == 'menu':
    bar = Gtk.MenuBar(); file = Gtk.MenuItem(label='File'); file.set_submenu(menu('Open', 'Save')); bar.append(file)
    window('Menus', bar, button('Send'))
elif what == 'rows':
    store = Gtk.ListStore(str, str)
    for n in range(4000): store.append([f'Row {n}', str(n)])
    view = Gtk.TreeView(model=store)
    for c in range(2): view.append_column(Gtk.TreeViewColumn(f'C{c}', Gtk.CellRendererText(), text=c))
    scroll = Gtk.ScrolledWindow(); scroll.set_size_request(-1, 200); scroll.add(view)
    window('Rows', scroll, h=260)
elif what == 'hostile':
    deep = Gtk.Box(); top = deep
    for _ in range(120): inner = Gtk.Box(); deep.add(inner); deep = inner
    deep.add(Gtk.Label(label='bottom'))
    window('Hostile', named(Gtk.Button(label='x'), 'N' * 1000000), named(Gtk.Button(label='y'), 'line\nbreak \u202e [1] button'), top)
print('ready')
Gtk.main()
