#!/usr/bin/python3
import sys

from PyQt5.QtCore import QObject, QTimer, pyqtSignal
from PyQt5.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from told import COLOURS, TITLE, counter, listen, say

app = QApplication(["scene-qt"])
top = QMainWindow()
top.setWindowTitle(TITLE)
top.resize(420, 400)
named = {}


def name(widget, label):
    widget.setAccessibleName(label)
    widget.setObjectName(label.lower())
    named[label] = widget
    return widget


def button(label):
    b = named[label] = QPushButton(label)
    b.clicked.connect(lambda: say("clicked", b.text()))
    return b


for title, items in (("File", ["Save", "Export"]), ("Edit", ["Undo"])):
    menu = top.menuBar().addMenu(title)
    for label in items:
        menu.addAction(label).triggered.connect(lambda _, label=label: say("menu", label))
body = QWidget()
top.setCentralWidget(body)
box = QVBoxLayout(body)
row = QHBoxLayout()
box.addLayout(row)
for label in ("OK", "Delete"):
    row.addWidget(button(label))
entry = name(QLineEdit(), "Name")
entry.textChanged.connect(lambda t: say("text", "Name", text=t))
entry.returnPressed.connect(lambda: say("activated", "Name"))
box.addWidget(entry)
secret = name(QLineEdit(), "Secret")
secret.setEchoMode(QLineEdit.Password)
secret.textChanged.connect(lambda t: say("text", "Secret", text=t))
box.addWidget(secret)
notes = name(QPlainTextEdit(), "Notes")
notes.textChanged.connect(lambda: say("text", "Notes", text=notes.toPlainText()))
box.addWidget(notes)
check = named["Agree"] = QCheckBox("Agree")
check.toggled.connect(lambda on: say("checked", "Agree", on=on))
box.addWidget(check)
combo = name(QComboBox(), "Colour")
combo.addItems(COLOURS)
combo.currentTextChanged.connect(lambda t: say("chosen", "Colour", value=t))
box.addWidget(combo)
slider = name(QSlider(1), "Volume")
slider.setRange(0, 100)
slider.valueChanged.connect(lambda v: say("value", "Volume", value=v))
box.addWidget(slider)


class Bridge(QObject):
    wanted = pyqtSignal(object)


bridge = Bridge()
bridge.wanted.connect(lambda f: f())


def act(order):
    what, label = order["do"], order.get("name", "")
    if what == "insert":
        row.insertWidget(0, button(label))
    elif what == "remove":
        named.pop(label).deleteLater()
    elif what == "twin":
        old = named[label]
        at = row.indexOf(old)
        row.removeWidget(old)
        old.deleteLater()
        row.insertWidget(at, button(label))
    elif what == "rename":
        named[label].setText(order["to"])
    elif what == "count":
        clock = QTimer(top)
        clock.timeout.connect(counter(named[label].setText))
        clock.start(order["every"])
    elif what == "disable":
        named[label].setEnabled(False)
    elif what == "hide":
        named[label].hide()


listen(bridge.wanted.emit, act)
top.show()
QTimer.singleShot(300, lambda: say("ready"))
sys.exit(app.exec_())
