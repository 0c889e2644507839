#!/usr/bin/python3
import tkinter

from told import TITLE, listen, say

top = tkinter.Tk()
top.title(TITLE)
top.geometry("300x200+60+60")
button = tkinter.Button(top, text="OK", command=lambda: say("clicked", "OK"))
button.place(x=10, y=10, width=100, height=30)
entry = tkinter.Entry(top)
entry.place(x=10, y=60, width=250, height=30)
last = [""]


def look():
    if entry.get() != last[0]:
        last[0] = entry.get()
        say("text", "Name", text=last[0])
    top.after(20, look)


entry.bind("<Return>", lambda _: say("activated", "Name"))
top.bind("<ButtonPress>", lambda e: say("pressed", "", button=e.num, x=e.x_root - top.winfo_rootx(), y=e.y_root - top.winfo_rooty()))
orders = []
listen(orders.append, lambda order: entry.focus_force() if order["do"] == "focus" else None)


def obey():
    while orders:
        orders.pop(0)()
    top.after(20, obey)


look()
obey()
top.after(300, lambda: say("ready"))
top.mainloop()
