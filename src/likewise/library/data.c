/* The part of native.c that makes data of what crosses. The meaning of Values is that of its namesake in
   values.py, whose class extends the type here (noting.py): what is rare is done there. */

enum { N_READERS, N_LEARN, N_OPAQUE, N_LONG_TEXT, N_LONG_BYTES, N_LONG_INT, N_STATE, N_PUBLIC, N_IS_CHANGED,
       N_REST, N_COUNTED, N_NOTHING, N_CALL, N_READ, N_CALLBACK, N_YIELD, N_RETURNED, N_UNSEEN, N_POSITIONS, N_COUNT,
       N_DIGEST, N_MODULES, N_IS_LOOPING, N_SIZE };
static const char *N_NAMES[] = {"readers", "learn", "opaque", "long_text", "long_bytes", "long_int", "state",
       "public", "is_changed", "rest", "counted", "nothing", "call", "read", "callback", "yield", "returned", "unseen",
       "positions", "count", "digest", "modules", "is_looping"};
static PyObject *known[N_SIZE];
enum { L_DEEP, L_LONG, L_MANY, L_NODES, L_HELD, L_KEEP, L_KEEP_BESIDE, L_FOLD, L_SHORT, L_SIZE };
static const char *L_NAMES[] = {"DEEP", "LONG", "MANY", "NODES", "HELD", "KEEP", "KEEP_BESIDE", "FOLD", "SHORT"};
static Py_ssize_t limit[L_SIZE];
static Py_ssize_t returned_offset;

static PyObject *w_is, *w_object, *w_type, *w_id, *w_late, *w_tuple, *w_dict, *w_items, *w_deep, *w_again, *w_up;
static PyObject *w_qualname, *w_name, *w_texts, *w_add, *w_counted, *w_lanes, *w_current, *w_family, *w_turn, *w_lost;
static PyObject *w_at, *w_kind, *w_after, *w_state, *w_until, *w_recursion, *w_asyncio, *w_trio, *w_empty, *w_value,
    *w_attributes, *w_outline, *w_names;
static const struct { PyObject **place; const char *text; } WORDS[] = {
    {&w_is, "is"}, {&w_object, "object"}, {&w_type, "type"}, {&w_id, "id"}, {&w_late, "late"}, {&w_tuple, "tuple"},
    {&w_dict, "dict"}, {&w_items, "items"}, {&w_deep, "deep"}, {&w_again, "again"}, {&w_up, "up"},
    {&w_qualname, "__qualname__"}, {&w_name, "__name__"}, {&w_texts, "texts"}, {&w_add, "add"},
    {&w_counted, "counted"}, {&w_lanes, "lanes"}, {&w_current, "current"}, {&w_family, "family"}, {&w_turn, "turn"},
    {&w_lost, "_lost"}, {&w_at, "at"}, {&w_kind, "kind"}, {&w_after, "after"}, {&w_state, "state"},
    {&w_until, "until"}, {&w_recursion, "recursion"}, {&w_asyncio, "asyncio"}, {&w_trio, "trio"}, {&w_empty, ""},
    {&w_value, "_value_"}, {&w_attributes, "__dict__"}, {&w_outline, "outline"}, {&w_names, "names"}};

/* Sets an item that is given away; -1 also where there is none. */
static int put(PyObject *dict, PyObject *key, PyObject *value) {
    if (!value) return -1;
    int done = PyDict_SetItem(dict, key, value);
    Py_DECREF(value);
    return done;
}

/* Data holds data only, and never itself: the collector need not look at it. */
static inline PyObject *settled(PyObject *data) {
    if (data) PyObject_GC_UnTrack(data);
    return data;
}

/* Numbers of opaque objects: held weakly where that is possible, else kept alive. */

typedef struct { PyWeakReference ref; void *key; PyObject *name, *label; Py_ssize_t number; } Weak;
typedef struct { PyObject_HEAD PyObject *thing, *name, *label; Py_ssize_t number; } Kept;

static void weak_dealloc(Weak *self) {
    Py_CLEAR(self->name);
    Py_CLEAR(self->label);
    _PyWeakref_RefType.tp_dealloc((PyObject *)self);
}
static PyTypeObject WeakType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "likewise.library.Weak", .tp_basicsize = sizeof(Weak),
    .tp_dealloc = (destructor)weak_dealloc, .tp_flags = Py_TPFLAGS_DEFAULT};

static int kept_traverse(Kept *self, visitproc visit, void *arg) { Py_VISIT(self->thing); return 0; }
static int kept_clear(Kept *self) { Py_CLEAR(self->thing); return 0; }
static void kept_dealloc(Kept *self) {
    PyObject_GC_UnTrack(self);
    Py_CLEAR(self->thing); Py_CLEAR(self->name); Py_CLEAR(self->label);
    PyObject_GC_Del(self);
}
static PyTypeObject KeptType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "likewise.library.Kept", .tp_basicsize = sizeof(Kept),
    .tp_dealloc = (destructor)kept_dealloc, .tp_traverse = (traverseproc)kept_traverse,
    .tp_clear = (inquiry)kept_clear,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION};

#define IS_KEPT(entry) (Py_TYPE(entry) == &KeptType)
static inline PyObject *name_of(PyObject *entry) { return IS_KEPT(entry) ? ((Kept *)entry)->name : ((Weak *)entry)->name; }
static inline Py_ssize_t number_in(PyObject *entry) { return IS_KEPT(entry) ? ((Kept *)entry)->number : ((Weak *)entry)->number; }
static inline PyObject **label_in(PyObject *entry) { return IS_KEPT(entry) ? &((Kept *)entry)->label : &((Weak *)entry)->label; }

typedef struct { PyObject_HEAD PyObject *numbers, *counts, *gone, *forget; Py_ssize_t held, odd; } Values;
static PyTypeObject ValuesType;

static PyObject *values_forget(Values *self, PyObject *ref) {
    Weak *entry = (Weak *)ref;
    PyObject *key = PyLong_FromVoidPtr(entry->key);
    if (!key) return NULL;
    if (!self->numbers) { Py_DECREF(key); Py_RETURN_NONE; }
    PyObject *name = Py_NewRef(entry->name); /* the entry dies with its item */
    if (PyDict_GetItemWithError(self->numbers, key) == ref) PyDict_DelItem(self->numbers, key);
    Py_DECREF(key);
    int done = PyErr_Occurred() ? -1 : PySet_Add(self->gone, name);
    Py_DECREF(name);
    if (done < 0) return NULL;
    Py_RETURN_NONE;
}
static PyMethodDef values_forget_def = {"forget", (PyCFunction)values_forget, METH_O, NULL};

static PyObject *values_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    Values *self = (Values *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->numbers = PyDict_New();
    self->counts = PyDict_New();
    self->gone = PySet_New(NULL);
    self->forget = PyCFunction_New(&values_forget_def, (PyObject *)self);
    if (!self->numbers || !self->counts || !self->gone || !self->forget) Py_CLEAR(self);
    return (PyObject *)self;
}
static int values_traverse(Values *self, visitproc visit, void *arg) {
    Py_VISIT(self->numbers); Py_VISIT(self->counts); Py_VISIT(self->gone); Py_VISIT(self->forget);
    return 0;
}
static int values_clear(Values *self) { Py_CLEAR(self->numbers); Py_CLEAR(self->forget); return 0; }
static void values_dealloc(Values *self) {
    PyObject_GC_UnTrack(self);
    values_clear(self);
    Py_CLEAR(self->counts); Py_CLEAR(self->gone);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *entry_new(Values *self, PyObject *thing, PyObject *name, Py_ssize_t number) {
    if (PyType_SUPPORTS_WEAKREFS(Py_TYPE(thing))) {
        PyObject *args = PyTuple_Pack(2, thing, self->forget);
        Weak *made = args ? (Weak *)_PyWeakref_RefType.tp_new(&WeakType, args, NULL) : NULL;
        Py_XDECREF(args);
        if (made) {
            made->key = thing;
            made->name = Py_NewRef(name);
            made->label = NULL;
            made->number = number;
            return (PyObject *)made; /* the collector itself wants to find those of what it collects */
        }
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) return NULL;
        PyErr_Clear();
    }
    Kept *made = PyObject_GC_New(Kept, &KeptType);
    if (!made) return NULL;
    int is_room = self->held < limit[L_HELD];
    self->held += is_room;
    made->thing = is_room ? Py_NewRef(thing) : NULL;
    made->name = Py_NewRef(name);
    made->label = NULL;
    made->number = is_room ? number : 0;
    PyObject_GC_Track(made);
    return (PyObject *)made;
}

/* What is known about an opaque object, a new reference. Collecting may run anybody's code in between. */
static PyObject *entry_of(Values *self, PyObject *thing, PyObject *kind, int *is_new) {
    PyObject *key = PyLong_FromVoidPtr(thing), *name = NULL, *made = NULL;
    if (!key) return NULL;
    PyObject *entry = PyDict_GetItemWithError(self->numbers, key);
    *is_new = !entry;
    if (entry || PyErr_Occurred()) { Py_DECREF(key); return Py_XNewRef(entry); }
    if (!(name = PyObject_GetAttr(kind, w_qualname))) goto out;
    PyObject *before = PyDict_GetItemWithError(self->counts, name);
    if (!before && PyErr_Occurred()) goto out;
    Py_ssize_t number = (before ? PyLong_AsSsize_t(before) : 0) + 1;
    if (put(self->counts, name, PyLong_FromSsize_t(number)) < 0) goto out;
    made = entry_new(self, thing, name, number);
    if (made && number_in(made)) {
        entry = Py_XNewRef(PyDict_SetDefault(self->numbers, key, made));
        Py_DECREF(made);
        made = entry;
    }
out:
    Py_XDECREF(name);
    Py_DECREF(key);
    return made;
}

static PyObject *opaque(Values *self, PyObject *thing, PyObject *kind) {
    int is_new, late = 0;
    PyObject *entry = entry_of(self, thing, kind, &is_new);
    if (!entry) return NULL;
    PyObject *made = PyDict_New(), *name = name_of(entry);
    if (is_new) late = PySet_Contains(self->gone, name);
    if (!made || late < 0 || PyDict_SetItem(made, w_is, w_object) < 0 || PyDict_SetItem(made, w_type, name) < 0 ||
        put(made, w_id, PyLong_FromSsize_t(number_in(entry))) < 0 || (late && PyDict_SetItem(made, w_late, Py_True) < 0))
        Py_CLEAR(made);
    Py_DECREF(entry);
    return made;
}

static PyObject *label_of(Values *self, PyObject *thing) {
    int is_new;
    PyObject *entry = entry_of(self, thing, (PyObject *)Py_TYPE(thing), &is_new);
    if (!entry) return NULL;
    PyObject **place = label_in(entry);
    if (!*place) *place = PyUnicode_FromFormat("%S#%zd", name_of(entry), number_in(entry));
    PyObject *label = Py_XNewRef(*place);
    Py_DECREF(entry);
    return label;
}

/* Objects as data */

typedef struct Above { void *thing; struct Above *up; int depth; } Above;
static _Thread_local int nodes;
static PyObject *value_of(Values *self, PyObject *thing, PyObject *kind, Above *above);

static PyObject *above_tuple(Above *above) {
    PyObject *made = PyTuple_New(above ? above->depth : 0);
    for (; made && above; above = above->up) {
        PyObject *number = PyLong_FromVoidPtr(above->thing);
        if (!number) Py_CLEAR(made); else PyTuple_SET_ITEM(made, above->depth - 1, number);
    }
    return made;
}

static inline PyObject *part_of(Values *self, PyObject *part, Above *above) {
    Py_INCREF(part);
    PyObject *made = value_of(self, part, (PyObject *)Py_TYPE(part), above);
    Py_DECREF(part);
    return made;
}

static PyObject *sequence_of(Values *self, PyObject *thing, Above *above) {
    PyObject *made = PyList_New(0);
    for (Py_ssize_t i = 0; made && i < PySequence_Fast_GET_SIZE(thing); i++) {
        PyObject *part = part_of(self, PySequence_Fast_GET_ITEM(thing, i), above);
        if (!part || PyList_Append(made, part) < 0) Py_CLEAR(made);
        Py_XDECREF(part);
    }
    return settled(made);
}

static PyObject *pairs_of(Values *self, PyObject *thing, Above *above) {
    PyObject *made = PyList_New(0), *key, *part;
    Py_ssize_t place = 0, size = PyDict_GET_SIZE(thing);
    while (made && PyDict_Next(thing, &place, &key, &part)) {
        PyObject *pair = PyList_New(2);
        Py_INCREF(part);
        PyObject *left = pair ? part_of(self, key, above) : NULL;
        PyObject *right = left ? value_of(self, part, (PyObject *)Py_TYPE(part), above) : NULL;
        Py_DECREF(part);
        if (right) {
            PyList_SET_ITEM(pair, 0, left);
            PyList_SET_ITEM(pair, 1, right);
            if (PyList_Append(made, pair) < 0) Py_CLEAR(made);
            else if (PyDict_GET_SIZE(thing) != size) {
                PyErr_SetString(PyExc_RuntimeError, "dictionary changed size during iteration");
                Py_CLEAR(made);
            }
        } else { Py_XDECREF(left); Py_CLEAR(made); }
        Py_XDECREF(settled(pair));
    }
    return settled(made);
}

static PyObject *tagged(PyObject *what, PyObject *key, PyObject *value) {
    PyObject *made = value ? PyDict_New() : NULL;
    if (!made || PyDict_SetItem(made, w_is, what) < 0) { Py_XDECREF(value); Py_XDECREF(made); return NULL; }
    if (put(made, key, value) < 0) Py_CLEAR(made);
    return settled(made);
}

static PyObject *read_by(Values *self, PyObject *thing, PyObject *kind, Above *above) {
    PyObject *key = PyLong_FromVoidPtr(kind);
    PyObject *reader = key ? PyDict_GetItemWithError(known[N_READERS], key) : NULL;
    Py_XDECREF(key);
    if (!reader && PyErr_Occurred()) return NULL;
    reader = reader ? Py_NewRef(reader) : PyObject_CallOneArg(known[N_LEARN], kind);
    if (!reader) return NULL;
    PyObject *made = NULL, *over;
    if (reader == known[N_OPAQUE]) made = opaque(self, thing, kind);
    else if ((over = above_tuple(above))) {
        made = PyObject_Vectorcall(reader, (PyObject *[]){(PyObject *)self, thing, kind, over}, 4, NULL);
        Py_DECREF(over);
    }
    Py_DECREF(reader);
    return made;
}

static PyObject *value_of(Values *self, PyObject *thing, PyObject *kind, Above *above) {
    PyTypeObject *type = (PyTypeObject *)kind;
    if (thing == Py_None || type == &PyBool_Type) return Py_NewRef(thing);
    if (type == &PyUnicode_Type) {
        if (PyUnicode_GET_LENGTH(thing) <= limit[L_LONG]) return Py_NewRef(thing);
        return PyObject_CallOneArg(known[N_LONG_TEXT], thing);
    }
    if (type == &PyLong_Type) {
        int overflow;
        PyLong_AsLongLongAndOverflow(thing, &overflow);
        return overflow ? PyObject_CallOneArg(known[N_LONG_INT], thing) : Py_NewRef(thing);
    }
    if (type == &PyFloat_Type) {
        double number = PyFloat_AS_DOUBLE(thing);
        if (number - number != 0.0) self->odd++;
        return Py_NewRef(thing);
    }
    if (type == &PyBytes_Type) {
        self->odd++;
        if (PyBytes_GET_SIZE(thing) <= limit[L_LONG]) return Py_NewRef(thing);
        return PyObject_CallOneArg(known[N_LONG_BYTES], thing);
    }
    nodes++;
    int depth = above ? above->depth : 0;
    if (depth >= limit[L_DEEP] || nodes > limit[L_NODES])
        return tagged(w_deep, w_type, PyObject_GetAttr(kind, w_qualname));
    int up = 0, steps = 1;
    for (Above *each = above; each; each = each->up, steps++)
        if (each->thing == thing) up = steps;
    if (up) return tagged(w_again, w_up, PyLong_FromLong(up));
    Above inner = {thing, above, depth + 1};
    if (type == &PyList_Type && PyList_GET_SIZE(thing) <= limit[L_MANY]) return sequence_of(self, thing, &inner);
    if (type == &PyTuple_Type && PyTuple_GET_SIZE(thing) <= limit[L_MANY])
        return tagged(w_tuple, w_items, sequence_of(self, thing, &inner));
    if (type == &PyDict_Type && PyDict_GET_SIZE(thing) <= limit[L_MANY])
        return tagged(w_dict, w_items, pairs_of(self, thing, &inner));
    return read_by(self, thing, kind, above);
}

static PyObject *data_of(Values *self, PyObject *thing) {
    nodes = 0;
    PyObject *made = value_of(self, thing, (PyObject *)Py_TYPE(thing), NULL);
    if (made || !PyErr_ExceptionMatches(PyExc_Exception)) return made;
    PyObject *kind, *error, *trace, *why;
    PyErr_Fetch(&kind, &error, &trace);
    int is_deep = PyErr_GivenExceptionMatches(kind, PyExc_RecursionError);
    why = is_deep ? Py_NewRef(w_recursion) : PyObject_GetAttr(kind, w_name);
    Py_XDECREF(kind); Py_XDECREF(error); Py_XDECREF(trace);
    made = why ? PyObject_CallMethodObjArgs((PyObject *)self, w_lost, why, (PyObject *)Py_TYPE(thing), NULL) : NULL;
    Py_XDECREF(why);
    return made;
}

static PyObject *values_value(Values *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 3 || !PyType_Check(args[1]) || !PyTuple_Check(args[2])) {
        PyErr_SetString(PyExc_TypeError, "an object, its type and what it lies in");
        return NULL;
    }
    Above chain[16], *above = NULL;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args[2]) && i < 16; i++) {
        chain[i] = (Above){PyLong_AsVoidPtr(PyTuple_GET_ITEM(args[2], i)), above, (int)i + 1};
        above = &chain[i];
    }
    return value_of(self, args[0], args[1], above);
}
static PyObject *values_opaque(Values *self, PyObject *const *args, Py_ssize_t count) {
    if (count == 2) return opaque(self, args[0], args[1]);
    PyErr_SetString(PyExc_TypeError, "an object and its type");
    return NULL;
}
static PyObject *values_release(Values *self, PyObject *unused) {
    PyObject *numbers = self->numbers, *empty = PyDict_New();
    if (!empty) return NULL;
    self->numbers = empty;
    Py_XDECREF(numbers);
    Py_RETURN_NONE;
}
static PyMethodDef values_methods[] = {
    {"release", (PyCFunction)values_release, METH_NOARGS, NULL},
    {"data", (PyCFunction)data_of, METH_O, NULL},
    {"label", (PyCFunction)label_of, METH_O, NULL},
    {"value", (PyCFunction)(void (*)(void))values_value, METH_FASTCALL, NULL},
    {"opaque", (PyCFunction)(void (*)(void))values_opaque, METH_FASTCALL, NULL},
    {NULL}};
static PyMemberDef values_members[] = {{"odd", T_PYSSIZET, offsetof(Values, odd), 0, NULL}, {NULL}};
static PyTypeObject ValuesType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "likewise.library.Values", .tp_basicsize = sizeof(Values),
    .tp_new = values_new, .tp_dealloc = (destructor)values_dealloc, .tp_traverse = (traverseproc)values_traverse,
    .tp_clear = (inquiry)values_clear, .tp_methods = values_methods, .tp_members = values_members,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE};
