import sys
from PyQt5.QtCore import QEvent, QObject, Qt, QTimer
from PyQt5.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget

title, place = sys.argv[1:3]
x, y = map(int, place.split(","))
app = QApplication(sys.argv[:1])


def say(*words):
    print(*words, sep=" ", flush=True)


def mods(m):
    return ",".join(n for n, b in (("shift", Qt.ShiftModifier), ("ctrl", Qt.ControlModifier)) if m & b)


class Area(QWidget):
    def __init__(self):
        super().__init__()
        self.setFixedSize(300, 100)

    def mousePressEvent(self, e):
        say("down", e.x(), e.y(), mods(e.modifiers()))

    def mouseReleaseEvent(self, e):
        say("up", e.x(), e.y())

    def mouseMoveEvent(self, e):
        say("drag", e.x(), e.y())

    def wheelEvent(self, e):
        say("wheel", "up" if e.angleDelta().y() > 0 else "down")


class Keys(QObject):
    names = {Qt.Key_Backtab: "backtab", Qt.Key_Return: "return", Qt.Key_S: "s", Qt.Key_A: "a", Qt.Key_F24: "f24"}

    def eventFilter(self, _, e):
        if e.type() == QEvent.KeyPress and e.key() in self.names:
            say("key", self.names[e.key()], mods(e.modifiers()))
            return e.key() in (Qt.Key_Backtab, Qt.Key_Return)
        return False


win = QWidget()
win.setWindowTitle(title)
box = QVBoxLayout(win)
box.setContentsMargins(0, 0, 0, 0)
box.setSpacing(0)
entry = QLineEdit()
box.addWidget(Area())
box.addWidget(entry)
entry.textChanged.connect(lambda t: say("text", t))
keys = Keys()
entry.installEventFilter(keys)
entry.setFocus()
win.move(x, y)
win.show()
QTimer.singleShot(300, lambda: say("ready"))
app.exec_()
