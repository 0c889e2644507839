import sys
import tkinter as tk

title, place = sys.argv[1:3]
x, y = place.split(",")
win = tk.Tk()
win.title(title)
win.geometry(f"+{x}+{y}")
area = tk.Canvas(win, width=300, height=100, highlightthickness=0, bd=0)
var = tk.StringVar(win)
entry = tk.Entry(win, textvariable=var)


def say(*words):
    print(*words, sep=" ", flush=True)


def mods(state):
    return ",".join(n for n, b in (("shift", 1), ("ctrl", 4)) if state & b)


def down(e):
    if e.num in (4, 5):
        say("wheel", {4: "up", 5: "down"}[e.num])
    else:
        say("down", e.x, e.y, mods(e.state))


area.bind("<Button>", down)
area.bind("<ButtonRelease-1>", lambda e: say("up", e.x, e.y))
area.bind("<B1-Motion>", lambda e: say("drag", e.x, e.y))
var.trace_add("write", lambda *_: say("text", var.get()))
area.pack()
entry.pack()
entry.focus_set()
win.after(300, lambda: say("ready"))
win.mainloop()
