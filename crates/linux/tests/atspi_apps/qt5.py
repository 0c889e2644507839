import sys
from PyQt5 import QtWidgets
from PyQt5.QtCore import Qt
what = sys.argv[1]
app = QtWidgets.QApplication(sys.argv[:1]); keep = []
def window(title, *widgets, x=40):
    win = QtWidgets.QMainWindow(); win.setWindowTitle(title); win.resize(320, 300); c = QtWidgets.QWidget(); win.setCentralWidget(c)
    box = QtWidgets.QVBoxLayout(c)
    for w in widgets: box.addWidget(w)
    win.move(x, 40); win.show(); keep.append(win); return win
def button(label, f=None):
    b = QtWidgets.QPushButton(label); b.clicked.connect(lambda *_: (print('press', label), f and f())); return b
def entry(name, text, hidden=False):
    e = QtWidgets.QLineEdit(text); e.setAccessibleName(name); e.textChanged.connect(lambda t: print('text', name, t))
    if hidden: e.setEchoMode(QtWidgets.QLineEdit.Password)
    return e
if what == 'form':
    check = QtWidgets.QCheckBox('Agree'); check.setChecked(True)
    scale = QtWidgets.QSlider(Qt.Horizontal); scale.setAccessibleName('Level'); scale.setRange(0, 100); scale.setSingleStep(5); scale.setValue(30)
    scale.valueChanged.connect(lambda v: print('value', float(v)))
    off = button('Off'); off.setEnabled(False)
    combo = QtWidgets.QComboBox(); combo.addItems(['red', 'green', 'blue']); combo.setCurrentIndex(1)
    label = QtWidgets.QLabel('Colour'); label.setBuddy(combo)
    window('Form', button('Send'), off, entry('Name', 'Ada'), entry('Word', 'hidden', True), check, scale, label, combo)
elif what == 'twins':
    window('Twin', button('Left'), x=20); window('Twin', button('Right'), x=500)
elif what == 'gone':
    other = button('Other')
    def remove(): other.setParent(None); other.deleteLater()
    window('Gone', button('Remove', remove), other)
elif what == 'dialog':
    def run():
        d = QtWidgets.QDialog(win); d.setWindowTitle('Question'); b = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.Ok)
        QtWidgets.QVBoxLayout(d).addWidget(b); b.accepted.connect(d.accept); print('answer', d.exec_())
    win = window('Asks', button('Ask', run), button('Send'))
elif what == 'menu':
    win = window('Menus', button('Send')); m = win.menuBar().addMenu('File')
    for l in ('Open', 'Save'): m.addAction(l).triggered.connect(lambda *_, l=l: print('menu', l))
print('ready')
app.exec_()
