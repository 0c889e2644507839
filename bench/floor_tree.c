// The floor of reading a tree: what the bus and the application alone need.
//
//   floor_tree PID     then one line of standard input for each measurement:
//     bulk   Cache.GetItems, then every GetExtents in one batch
//     pipe   breadth first, every question of a level in one batch
//   answers `MILLISECONDS NODES`, or `- WHY`.
#include <dbus/dbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST 100000
#define BOUND_MS 30000
#define ROOT "/org/a11y/atspi/accessible/root"
#define ACCESSIBLE "org.a11y.atspi.Accessible"

static DBusConnection *bus;
static char *paths[MOST];
static DBusPendingCall *waits[MOST][6];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static DBusMessage *ask(const char *to, const char *path, const char *face, const char *what) {
    return dbus_message_new_method_call(to, path, face, what);
}

static DBusMessage *wait_for(DBusConnection *c, DBusMessage *m) {
    DBusMessage *r = dbus_connection_send_with_reply_and_block(c, m, BOUND_MS, NULL);
    dbus_message_unref(m);
    return r;
}

static DBusMessage *property(const char *to, const char *path, const char *name) {
    const char *face = ACCESSIBLE;
    DBusMessage *m = ask(to, path, "org.freedesktop.DBus.Properties", "Get");
    dbus_message_append_args(m, DBUS_TYPE_STRING, &face, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID);
    return m;
}

static DBusMessage *extents(const char *to, const char *path) {
    dbus_uint32_t screen = 0;
    DBusMessage *m = ask(to, path, "org.a11y.atspi.Component", "GetExtents");
    dbus_message_append_args(m, DBUS_TYPE_UINT32, &screen, DBUS_TYPE_INVALID);
    return m;
}

static DBusPendingCall *send_off(DBusMessage *m) {
    DBusPendingCall *p = NULL;
    dbus_connection_send_with_reply(bus, m, &p, BOUND_MS);
    dbus_message_unref(m);
    return p;
}

static DBusMessage *arrive(DBusPendingCall *p) {
    if (!p) return NULL;
    dbus_pending_call_block(p);
    DBusMessage *r = dbus_pending_call_steal_reply(p);
    dbus_pending_call_unref(p);
    if (r && dbus_message_get_type(r) == DBUS_MESSAGE_TYPE_ERROR) {
        dbus_message_unref(r);
        return NULL;
    }
    return r;
}

static void drop(DBusMessage *m) {
    if (m) dbus_message_unref(m);
}

static int number_in(DBusMessage *m) {
    DBusMessageIter a, b;
    dbus_int32_t v = 0;
    if (m && dbus_message_iter_init(m, &a) && dbus_message_iter_get_arg_type(&a) == 'v') {
        dbus_message_iter_recurse(&a, &b);
        if (dbus_message_iter_get_arg_type(&b) == 'i') dbus_message_iter_get_basic(&b, &v);
    }
    drop(m);
    return v;
}

static int children_in(DBusMessage *m, char **out, int room) {
    DBusMessageIter a, b, s;
    int n = 0;
    if (!m || !dbus_message_iter_init(m, &a) || dbus_message_iter_get_arg_type(&a) != 'a') return 0;
    dbus_message_iter_recurse(&a, &b);
    for (; dbus_message_iter_get_arg_type(&b) == 'r' && n < room; dbus_message_iter_next(&b)) {
        char *path;
        dbus_message_iter_recurse(&b, &s);
        dbus_message_iter_next(&s);
        dbus_message_iter_get_basic(&s, &path);
        if (strcmp(path, "/org/a11y/atspi/null")) out[n++] = strdup(path);
    }
    return n;
}

static int pipe_read(const char *to) {
    int head = 0, tail = 1;
    paths[0] = strdup(ROOT);
    while (head < tail && tail < MOST) {
        int end = tail - head > 256 ? head + 256 : tail;
        for (int j = head; j < end; j++) {
            waits[j][0] = send_off(property(to, paths[j], "ChildCount"));
            waits[j][1] = send_off(ask(to, paths[j], ACCESSIBLE, "GetRole"));
            waits[j][2] = send_off(property(to, paths[j], "Name"));
            waits[j][3] = send_off(ask(to, paths[j], ACCESSIBLE, "GetState"));
            waits[j][4] = send_off(ask(to, paths[j], ACCESSIBLE, "GetInterfaces"));
            waits[j][5] = send_off(extents(to, paths[j]));
        }
        dbus_connection_flush(bus);
        for (int j = head; j < end; j++) {
            int count = number_in(arrive(waits[j][0]));
            waits[j][0] = count > 0 ? send_off(ask(to, paths[j], ACCESSIBLE, "GetChildren")) : NULL;
            for (int k = 1; k < 6; k++) drop(arrive(waits[j][k]));
        }
        dbus_connection_flush(bus);
        for (int j = head; j < end; j++) {
            DBusMessage *m = arrive(waits[j][0]);
            tail += children_in(m, paths + tail, MOST - tail);
            drop(m);
        }
        head = end;
    }
    for (int j = 0; j < tail; j++) free(paths[j]);
    return tail;
}

static int bulk_read(const char *to) {
    DBusMessage *m = wait_for(bus, ask(to, "/org/a11y/atspi/cache", "org.a11y.atspi.Cache", "GetItems"));
    DBusMessageIter a, b, s, o;
    int n = 0;
    if (!m) return -1;
    if (dbus_message_iter_init(m, &a) && dbus_message_iter_get_arg_type(&a) == 'a') {
        dbus_message_iter_recurse(&a, &b);
        for (; dbus_message_iter_get_arg_type(&b) == 'r' && n < MOST; dbus_message_iter_next(&b)) {
            char *path;
            dbus_message_iter_recurse(&b, &s);
            dbus_message_iter_recurse(&s, &o);
            dbus_message_iter_next(&o);
            dbus_message_iter_get_basic(&o, &path);
            waits[n++][0] = send_off(extents(to, path));
        }
    }
    dbus_connection_flush(bus);
    for (int j = 0; j < n; j++) drop(arrive(waits[j][0]));
    drop(m);
    return n;
}

// The unique name of the application on the accessibility bus that a process owns.
static char *name_of(unsigned pid) {
    DBusMessage *m = wait_for(bus, ask("org.a11y.atspi.Registry", ROOT, ACCESSIBLE, "GetChildren"));
    DBusMessageIter a, b, s;
    char *found = NULL;
    if (!m || !dbus_message_iter_init(m, &a)) return NULL;
    dbus_message_iter_recurse(&a, &b);
    for (; !found && dbus_message_iter_get_arg_type(&b) == 'r'; dbus_message_iter_next(&b)) {
        char *name;
        dbus_uint32_t owner = 0;
        dbus_message_iter_recurse(&b, &s);
        dbus_message_iter_get_basic(&s, &name);
        DBusMessage *q = ask("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetConnectionUnixProcessID");
        dbus_message_append_args(q, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID);
        DBusMessage *r = wait_for(bus, q);
        if (r && dbus_message_get_args(r, NULL, DBUS_TYPE_UINT32, &owner, DBUS_TYPE_INVALID) && owner == pid)
            found = strdup(name);
        drop(r);
    }
    drop(m);
    return found;
}

// GTK fills its cache once somebody listens.
static void listen_in(void) {
    const char *event = "object:children-changed", *none = "";
    const char *list[1] = {0}, **all = list;
    DBusMessage *m = ask("org.a11y.atspi.Registry", "/org/a11y/atspi/registry", "org.a11y.atspi.Registry", "RegisterEvent");
    dbus_message_append_args(m, DBUS_TYPE_STRING, &event, DBUS_TYPE_ARRAY, DBUS_TYPE_STRING, &all, 0, DBUS_TYPE_STRING, &none,
                             DBUS_TYPE_INVALID);
    drop(wait_for(bus, m));
    nanosleep(&(struct timespec){0, 400000000}, NULL);
}

int main(int argc, char **argv) {
    char line[32], *address, *to;
    if (argc != 2) return fprintf(stderr, "usage: floor_tree PID\n"), 2;
    DBusConnection *session = dbus_bus_get(DBUS_BUS_SESSION, NULL);
    if (!session) return fprintf(stderr, "no session bus\n"), 1;
    DBusMessage *m = wait_for(session, ask("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress"));
    if (!m || !dbus_message_get_args(m, NULL, DBUS_TYPE_STRING, &address, DBUS_TYPE_INVALID))
        return fprintf(stderr, "no accessibility bus\n"), 1;
    bus = dbus_connection_open_private(address, NULL);
    if (!bus || !dbus_bus_register(bus, NULL)) return fprintf(stderr, "the accessibility bus refuses\n"), 1;
    dbus_connection_set_max_received_size(bus, 1 << 30);
    to = name_of((unsigned)strtoul(argv[1], NULL, 10));
    if (!to) return fprintf(stderr, "process %s is not on the accessibility bus\n", argv[1]), 1;
    listen_in();
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        double start = now();
        int n = line[0] == 'b' ? bulk_read(to) : pipe_read(to);
        if (n < 0) puts("- no bulk here");
        else printf("%.3f %d\n", now() - start, n);
        fflush(stdout);
    }
    return 0;
}
