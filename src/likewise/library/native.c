/* What rewritten clients call, in C: it adds no frame, so that stack levels, tracebacks and
   sys._getframe are what they would be without it. The meaning of every function is that of its
   namesake in helper.py; what crosses is handed to the hub (hub.py), which is the same for both. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

enum { FOREIGN, OWN, DERIVED, PARTIAL, CACHED, DESCRIPTOR, WRAPPER, CYTHON, CONTEXT, ZONED };
enum { NEUTRAL, CLIENT, LIBRARY };
enum { PLAIN = -1, THROUGH = -2, ADOPTED = -3 };
enum { GO_BEGIN_CALL, GO_BEGIN_MEMBER, GO_READ, GO_END, GO_FAIL, GO_ITEM, GO_ENTRY, GO_STANDING,
       GO_OWNER, GO_FILE, GO_PREPARE, GO_IMPORTED, GO_BEGIN_STEP, GO_ADOPT, GO_NEVER, GO_READ_OPERATION,
       GO_FAILED, GO_COUNT };
static const char *GO_NAMES[] = {"begin_call", "begin_member", "read", "end", "fail", "item", "entry",
       "standing", "owner", "file", "prepare", "imported", "begin_step", "adopt", "never",
       "read_operation", "failed"};

static PyObject *go[GO_COUNT];
static PyObject *owners, *files, *callbacks, *running_loop, *mirrored;
static PyMethodDef *str_format;
static PyObject *s_name, *s_func, *s_wrapped, *s_module, *s_self, *s_gen, *s_tzinfo;
static PyObject *s_enter, *s_exit, *s_aenter, *s_aexit, *s_send, *s_throw, *s_close;

#define MOST 128
static _Thread_local int busy, depth, thread_kind;
static _Thread_local void *frames[MOST];

/* Known types and known functions, by pointer. A type is held weakly and forgotten when it dies.
   Of its instances, the names are kept that are known never to be the library's business, and the
   operations that attributes are. */

enum { NEVER_READ, NEVER_CALLED, NEVER_STORED, NEVER_COUNT };
typedef struct { void *key; int flag; PyObject *ref; PyObject *never[NEVER_COUNT]; PyObject *reads; } Slot;
static Slot *slots;
static size_t slots_mask, slots_used;
#define TOMB ((void *)1)
#define HASH(p) (((size_t)(p) >> 4) ^ ((size_t)(p) >> 13))

static void slots_keep(Slot slot);

static void slots_grow(void) {
    Slot *old = slots;
    size_t size = old ? (slots_mask + 1) * 2 : 1024;
    slots = PyMem_Calloc(size, sizeof(Slot));
    size_t before = old ? slots_mask + 1 : 0;
    slots_mask = size - 1;
    slots_used = 0;
    for (size_t i = 0; i < before; i++)
        if (old[i].key && old[i].key != TOMB) slots_keep(old[i]);
    PyMem_Free(old);
}

static void slots_keep(Slot slot) {
    if (!slots || slots_used * 2 > slots_mask) slots_grow();
    size_t i = HASH(slot.key) & slots_mask;
    while (slots[i].key && slots[i].key != TOMB) i = (i + 1) & slots_mask;
    if (!slots[i].key) slots_used++;
    slots[i] = slot;
}

static void slots_put(void *key, int flag, PyObject *ref) { slots_keep((Slot){key, flag, ref, {NULL}, NULL}); }

static inline Slot *slots_find(void *key) {
    size_t i = HASH(key) & slots_mask;
    while (slots[i].key) {
        if (slots[i].key == key) return &slots[i];
        i = (i + 1) & slots_mask;
    }
    return NULL;
}

static PyObject *forget(PyObject *self, PyObject *ref) {
    Slot *slot = slots_find(PyLong_AsVoidPtr(self));
    if (slot) {
        slot->key = TOMB;
        for (int i = 0; i < NEVER_COUNT; i++) Py_CLEAR(slot->never[i]);
        Py_CLEAR(slot->reads);
        Py_CLEAR(slot->ref);
    }
    Py_RETURN_NONE;
}
static PyMethodDef forget_def = {"forget", forget, METH_O, NULL};

#include "data.c"
#include "noting.c"

/* Ask the hub. The caller's own exception, if any, is kept aside. */

static PyObject *ask(int what, PyObject **argv, size_t count) {
    int before = busy;
    busy = 1;
    PyObject *found = PyObject_Vectorcall(go[what], argv, count, NULL);
    busy = before;
    return found;
}

static int ask_flag(int what, PyObject *thing) {
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    PyObject *found = ask(what, &thing, 1);
    int flag = found ? (int)PyLong_AsLong(found) : 0;
    Py_XDECREF(found);
    if (PyErr_Occurred()) { PyErr_Clear(); flag = 0; }
    PyErr_Restore(kind, value, trace);
    return flag;
}

static int learn(PyTypeObject *type) {
    int flag = ask_flag(GO_STANDING, (PyObject *)type);
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    PyObject *key = PyLong_FromVoidPtr(type);
    PyObject *callback = PyCFunction_New(&forget_def, key);
    PyObject *ref = callback ? PyWeakref_NewRef((PyObject *)type, callback) : NULL;
    Py_XDECREF(callback);
    Py_XDECREF(key);
    if (ref && !slots_find(type)) slots_put(type, flag, ref);
    PyErr_Restore(kind, value, trace);
    return flag;
}

static inline int flag_of(PyTypeObject *type) {
    Slot *slot = slots_find(type);
    return slot ? slot->flag : learn(type);
}

static int owner_of(PyObject *module) {
    if (!module || !PyUnicode_CheckExact(module)) return 0;
    PyObject *known = PyDict_GetItemWithError(owners, module);
    if (known) return known == Py_True;
    int flag = ask_flag(GO_OWNER, module);
    PyDict_SetItem(owners, module, flag ? Py_True : Py_False);
    return flag;
}

static int file_of(PyCodeObject *code) {
    PyObject *known = PyDict_GetItemWithError(files, code->co_filename);
    if (known) return (int)PyLong_AsLong(known);
    int flag = ask_flag(GO_FILE, (PyObject *)code);
    PyObject *number = PyLong_FromLong(flag);
    PyDict_SetItem(files, code->co_filename, number);
    Py_DECREF(number);
    return flag;
}

static int is_library_generator(PyObject *thing) {
    if (PyGen_CheckExact(thing) || PyCoro_CheckExact(thing) || PyAsyncGen_CheckExact(thing)) {
        PyObject *code = PyObject_GetAttrString(
            thing, PyGen_CheckExact(thing) ? "gi_code" : PyCoro_CheckExact(thing) ? "cr_code" : "ag_code");
        int found = code && PyCode_Check(code) && file_of((PyCodeObject *)code) == LIBRARY;
        Py_XDECREF(code);
        PyErr_Clear();
        return found;
    }
    return 0;
}

/* 0: call it as it is; 1: the library's, perhaps; 2: something that is handed library things. */

static int standing_of(PyObject *thing);

static int standing_of_attribute(PyObject *thing, PyObject *name) {
    PyObject *inner = PyObject_GetAttr(thing, name);
    if (!inner) { PyErr_Clear(); return 0; }
    int found = standing_of(inner);
    Py_DECREF(inner);
    return found == 1;
}

static inline int special(PyObject *thing) {
    Slot *slot = slots_find(thing);
    return !slot || slot->flag >= 0 ? 0 : slot->flag == ADOPTED ? 1 : 2;
}

static int standing_of(PyObject *thing) {
    PyTypeObject *type = Py_TYPE(thing);
    if (type == &PyFunction_Type) {
        PyObject *globals = PyFunction_GET_GLOBALS(thing);
        if (owner_of(PyDict_GetItemWithError(globals, s_name))) return 1;
        int kept = special(thing);
        return kept ? kept : owner_of(((PyFunctionObject *)thing)->func_module);
    }
    if (type == &PyMethod_Type) return standing_of(PyMethod_GET_FUNCTION(thing));
    if (PyCFunction_Check(thing)) {
        PyObject *self = PyCFunction_GET_SELF(thing);
        if (!self || PyModule_Check(self))
            return owner_of(((PyCFunctionObject *)thing)->m_module) ? 1 : special(thing);
        if (PyUnicode_CheckExact(self) && ((PyCFunctionObject *)thing)->m_ml == str_format) return 2;
        PyTypeObject *of = PyType_Check(self) ? (PyTypeObject *)self : Py_TYPE(self);
        int flag = flag_of(of);
        return flag == ZONED ? 2 : flag == OWN || flag == DERIVED;
    }
    if (PyType_Check(thing)) {
        if (special(thing)) return 2;
        int flag = flag_of((PyTypeObject *)thing);
        if (flag == OWN || flag == DERIVED) return 1;
        flag = flag_of(type);
        return flag == OWN || flag == DERIVED;
    }
    switch (flag_of(type)) {
    case OWN: case DERIVED: return 1;
    case PARTIAL: return standing_of_attribute(thing, s_func);
    case CACHED: return standing_of_attribute(thing, s_wrapped);
    case DESCRIPTOR: { int flag = flag_of(PyDescr_TYPE(thing)); return flag == OWN || flag == DERIVED; }
    case WRAPPER: {
        PyObject *self = PyObject_GetAttr(thing, s_self);
        int flag = self ? flag_of(Py_TYPE(self)) : 0;
        if (!self) PyErr_Clear();
        Py_XDECREF(self);
        return flag == OWN || flag == DERIVED;
    }
    case CYTHON: {
        PyObject *module = PyObject_GetAttr(thing, s_module);
        int found = owner_of(module);
        if (!module) PyErr_Clear();
        Py_XDECREF(module);
        return found;
    }
    }
    return special(thing);
}

static inline int touches(PyObject *thing) {
    int flag = flag_of(Py_TYPE(thing));
    return flag == OWN || flag == DERIVED;
}

/* Whether one of the first items of a builtin container, or of one inside it, is the library's. */
#define FEW 16
static int held(PyObject *thing, int deep) {
    PyTypeObject *type = Py_TYPE(thing);
    if (type == &PyList_Type || type == &PyTuple_Type) {
        for (Py_ssize_t i = 0; i < FEW && i < PySequence_Fast_GET_SIZE(thing); i++) {
            PyObject *each = PySequence_Fast_GET_ITEM(thing, i);
            if (touches(each) || (deep > 1 && held(each, deep - 1))) return 1;
        }
    } else if (type == &PyDict_Type) {
        PyObject *key, *each;
        Py_ssize_t place = 0;
        for (int i = 0; i < FEW && PyDict_Next(thing, &place, &key, &each); i++)
            if (touches(each) || (deep > 1 && held(each, deep - 1))) return 1;
    } else if (type == &PySet_Type || type == &PyFrozenSet_Type) {
        PyObject *each, *items = PyObject_GetIter(thing);
        int found = 0;
        for (int i = 0; i < FEW && !found && items && (each = PyIter_Next(items)); i++) {
            found = touches(each);
            Py_DECREF(each);
        }
        Py_XDECREF(items);
        return found;
    }
    return 0;
}

/* The moment inside the library: which frame of the client waits for it. */

static int push(void) {
    int before = depth;
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    depth = before + 1;
    if (depth < MOST) frames[depth] = frame;
    Py_XDECREF(frame);
    return before;
}

/* Something of ours went wrong: that is counted, and nobody else's business. */
static PyObject *told_failure(PyObject *what, PyObject *thing) {
    if (!PyErr_ExceptionMatches(PyExc_Exception)) return NULL;
    PyObject *kind, *error, *trace;
    PyErr_Fetch(&kind, &error, &trace);
    PyErr_NormalizeException(&kind, &error, &trace);
    PyObject *told = ask(GO_FAILED, (PyObject *[]){what, thing, error}, 3);
    Py_XDECREF(kind); Py_XDECREF(error); Py_XDECREF(trace);
    return told;
}

static PyObject *tell_end(PyObject *token, PyObject *value) {
    if (Py_TYPE(token) != &TokenType) return ask(GO_END, (PyObject *[]){token, value}, 2);
    int before = busy;
    busy = 1;
    int done = end((Token *)token, value);
    busy = before;
    return done == 0 ? Py_NewRef(Py_None) : told_failure(token, value);
}

static PyObject *finish(PyObject *token, PyObject *result) {
    if (!token) return result;
    if (token == Py_None) { Py_DECREF(token); return result; }
    if (result) {
        PyObject *told = tell_end(token, result);
        Py_DECREF(token);
        if (!told) { Py_DECREF(result); return NULL; }
        Py_DECREF(told);
        return result;
    }
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    PyErr_NormalizeException(&kind, &value, &trace);
    if (trace && value) PyException_SetTraceback(value, trace);
    PyObject *told = ask(GO_FAIL, (PyObject *[]){token, value ? value : Py_None}, 2);
    Py_DECREF(token);
    if (!told) { Py_XDECREF(kind); Py_XDECREF(value); Py_XDECREF(trace); return NULL; }
    Py_DECREF(told);
    PyErr_Restore(kind, value, trace);
    return NULL;
}

static Recorder *recorder; /* where it is one of ours */
static PyObject *stored;
static Py_ssize_t stored_before;
static PyObject *k_call, *k_store, *k_delete, *k_item, *k_yield, *k_read;

static inline int is_never(PyObject *holder, int what, PyObject *name) {
    Slot *slot = slots_find(Py_TYPE(holder));
    return slot && slot->never[what] && PySet_Contains(slot->never[what], name) == 1;
}

static void note_never(PyObject *holder, int what, PyObject *kind, PyObject *name) {
    if (PyType_Check(holder) || PyModule_Check(holder) || !touches(holder)) return;
    PyObject *told = ask(GO_NEVER, (PyObject *[]){kind, holder, name}, 3);
    Slot *slot = told == Py_True ? slots_find(Py_TYPE(holder)) : NULL;
    if (slot && !slot->never[what]) slot->never[what] = PySet_New(NULL);
    if (slot && slot->never[what]) PySet_Add(slot->never[what], name);
    Py_XDECREF(told);
    PyErr_Clear();
}

static PyObject *begin_member(PyObject *at, PyObject *kind, PyObject *holder, PyObject *name,
                              PyObject *first, PyObject *second) {
    int what = kind == k_call ? NEVER_CALLED : kind == k_store ? NEVER_STORED : NEVER_COUNT;
    if (what < NEVER_COUNT && is_never(holder, what, name)) Py_RETURN_NONE;
    PyObject *args = !first ? PyTuple_New(0) : second ? PyTuple_Pack(2, first, second) : PyTuple_Pack(1, first);
    if (!args) return NULL;
    PyObject *token = ask(GO_BEGIN_MEMBER, (PyObject *[]){at, kind, holder, name, args}, 5);
    Py_DECREF(args);
    if (token == Py_None && what < NEVER_COUNT) note_never(holder, what, kind, name);
    return token;
}

/* A callable in the place of another: for one call of a library's, or of one that takes callables. */

typedef struct { PyObject_HEAD vectorcallfunc vectorcall; PyObject *at, *callee; int is_passer; } Crosser;
static PyTypeObject CrosserType;

static PyObject *kwargs_of(PyObject *const *args, Py_ssize_t count, PyObject *names) {
    if (!names || !PyTuple_GET_SIZE(names)) Py_RETURN_NONE;
    PyObject *made = PyDict_New();
    for (Py_ssize_t i = 0; made && i < PyTuple_GET_SIZE(names); i++)
        PyDict_SetItem(made, PyTuple_GET_ITEM(names, i), args[count + i]);
    return made;
}

static PyObject *tuple_of(PyObject *const *args, Py_ssize_t count) {
    PyObject *made = PyTuple_New(count);
    for (Py_ssize_t i = 0; made && i < count; i++) {
        Py_INCREF(args[i]);
        PyTuple_SET_ITEM(made, i, args[i]);
    }
    return made;
}

/* Whether a method's own date or time has a time zone of the library's. */
static int is_in_zone(PyObject *callee) {
    PyObject *self = PyCFunction_Check(callee) ? PyCFunction_GET_SELF(callee) : NULL;
    if (!self || PyType_Check(self) || flag_of(Py_TYPE(self)) != ZONED) return 0;
    PyObject *zone = PyObject_GetAttr(self, s_tzinfo);
    int found = zone && touches(zone);
    if (!zone) PyErr_Clear();
    Py_XDECREF(zone);
    return found;
}

static int concerns(PyObject *callee, PyObject *const *args, Py_ssize_t count) {
    Slot *slot = slots_find(callee);
    int is_through = !slot || slot->flag == THROUGH;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (touches(args[i]) || standing_of(args[i]) == 1 || is_library_generator(args[i])) return 1;
        if (PyModule_Check(args[i]) && owner_of(PyDict_GetItemWithError(PyModule_GetDict(args[i]), s_name))) return 1;
        if (is_through && held(args[i], 2)) return 1;
    }
    return is_in_zone(callee);
}

static PyObject *pass_on(PyObject *at, PyObject *callee, PyObject *const *args, Py_ssize_t count, PyObject *names) {
    Py_ssize_t all = count + (names ? PyTuple_GET_SIZE(names) : 0);
    if (busy || !concerns(callee, args, all)) return PyObject_Vectorcall(callee, args, count, names);
    PyObject *positional = tuple_of(args, count), *keywords = kwargs_of(args, count, names);
    PyObject *ready = positional && keywords
        ? ask(GO_PREPARE, (PyObject *[]){at, callee, positional, keywords}, 4) : NULL;
    Py_XDECREF(positional);
    Py_XDECREF(keywords);
    if (!ready) return NULL;
    if (ready == Py_None) { Py_DECREF(ready); return PyObject_Vectorcall(callee, args, count, names); }
    PyObject *token = Py_NewRef(PyTuple_GET_ITEM(ready, 0));
    PyObject *keys = PyTuple_GET_ITEM(ready, 2);
    int before = token != Py_None ? push() : depth;
    PyObject *result = PyObject_Call(callee, PyTuple_GET_ITEM(ready, 1), keys == Py_None ? NULL : keys);
    depth = before;
    Py_DECREF(ready);
    return finish(token, result);
}

static PyObject *crosser_call(PyObject *self, PyObject *const *args, size_t flagged, PyObject *names) {
    Crosser *it = (Crosser *)self;
    Py_ssize_t count = PyVectorcall_NARGS(flagged);
    if (it->is_passer) return pass_on(it->at, it->callee, args, count, names);
    if (busy) return PyObject_Vectorcall(it->callee, args, count, names);
    PyObject *positional = tuple_of(args, count), *keywords = kwargs_of(args, count, names);
    PyObject *token = positional && keywords
        ? ask(GO_BEGIN_CALL, (PyObject *[]){it->at, it->callee, positional, keywords}, 4) : NULL;
    Py_XDECREF(positional);
    Py_XDECREF(keywords);
    if (!token) return NULL;
    int before = token == Py_None ? depth : push();
    PyObject *result = PyObject_Vectorcall(it->callee, args, count, names);
    depth = before;
    return finish(token, result);
}

static PyObject *crosser_new(PyObject *at, PyObject *callee, int is_passer) {
    Crosser *made = PyObject_New(Crosser, &CrosserType);
    if (!made) return NULL;
    made->vectorcall = crosser_call;
    made->at = Py_NewRef(at);
    made->callee = Py_NewRef(callee);
    made->is_passer = is_passer;
    return (PyObject *)made;
}

static void crosser_dealloc(Crosser *self) {
    Py_DECREF(self->at);
    Py_DECREF(self->callee);
    PyObject_Free(self);
}

static PyTypeObject CrosserType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "likewise.library.Crosser",
    .tp_basicsize = sizeof(Crosser),
    .tp_dealloc = (destructor)crosser_dealloc,
    .tp_vectorcall_offset = offsetof(Crosser, vectorcall),
    .tp_call = PyVectorcall_Call,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
};

#define ARGS PyObject *self, PyObject *const *args, Py_ssize_t count
#define EXPECT(n) if (count != (n)) { PyErr_SetString(PyExc_TypeError, "wrong number of arguments"); return NULL; }

static PyObject *checked(PyObject *at, PyObject *callee) {
    if (!busy) {
        int standing = standing_of(callee);
        if (standing) return crosser_new(at, callee, standing == 2);
    }
    return Py_NewRef(callee);
}

static PyObject *h_call(ARGS) { EXPECT(2) return checked(args[0], args[1]); }

static PyObject *h_builtin(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
    return pass_on(args[0], args[1], args + 2, count - 2, names);
}

static PyObject *h_wrap(ARGS) {
    EXPECT(2)
    return crosser_new(args[0], args[1], 0);
}

static PyObject *h_own(PyObject *self, PyObject *thing) { /* kept for good: its address is its name */
    if (!slots_find(thing)) slots_put(thing, ADOPTED, Py_NewRef(thing));
    Py_RETURN_NONE;
}

static PyObject *h_hand(ARGS) {
    EXPECT(2)
    return crosser_new(args[0], args[1], 1);
}

/* Attributes */

static int holds(PyObject *holder) {
    if (PyModule_Check(holder)) {
        PyObject *names = PyModule_GetDict(holder);
        return owner_of(PyDict_GetItemWithError(names, s_name));
    }
    if (touches(holder)) return 1;
    if (PyType_Check(holder)) {
        int flag = flag_of((PyTypeObject *)holder);
        return flag == OWN || flag == DERIVED;
    }
    return 0;
}

static int is_routine(PyObject *value) {
    return PyFunction_Check(value) || PyMethod_Check(value) || PyCFunction_Check(value) ||
           PyModule_Check(value) || PyType_Check(value) || flag_of(Py_TYPE(value)) == CYTHON ||
           flag_of(Py_TYPE(value)) == WRAPPER || flag_of(Py_TYPE(value)) == DESCRIPTOR;
}

/* Whether an attribute simply lies there, or code of the library was asked for it. */
static int is_stored(PyObject *holder, PyObject *name) {
    if (PyModule_Check(holder)) return PyDict_GetItemWithError(PyModule_GetDict(holder), name) != NULL;
    if (PyType_Check(holder)) return 1;
    PyTypeObject *type = Py_TYPE(holder);
    PyObject *found = _PyType_Lookup(type, name);
    if (found) return Py_TYPE(found) != &PyProperty_Type;
    if (type->tp_getattro == PyObject_GenericGetAttr) return 1;
    PyObject **names = _PyObject_GetDictPtr(holder);
    return names && *names && PyDict_GetItemWithError(*names, name) != NULL;
}

/* What the client's own code sets is its own in classes that extend the library's: with more of the client
   imported, what is known about these may no longer hold. */
static void forget_reads(void) {
    for (size_t i = 0; i <= slots_mask; i++)
        if (slots[i].key && slots[i].key != TOMB) Py_CLEAR(slots[i].reads);
    stored_before = PySet_GET_SIZE(stored);
}

/* The operation that an attribute of an object is, where that is known; borrowed. */
static PyObject *known_read(PyObject *holder, PyObject *name) {
    if (!recorder) return NULL;
    if (PySet_GET_SIZE(stored) != stored_before) forget_reads();
    Slot *slot = slots_find(Py_TYPE(holder));
    return slot && slot->reads ? PyDict_GetItemWithError(slot->reads, name) : NULL;
}

/* What an attribute of an instance is depends on its type alone. */
static void learn_read(PyObject *holder, PyObject *name) {
    if (!recorder || !touches(holder) || PyType_Check(holder) || PyModule_Check(holder)) return;
    PyObject *operation = ask(GO_READ_OPERATION, (PyObject *[]){holder, name}, 2);
    Slot *slot = operation && operation != Py_None ? slots_find(Py_TYPE(holder)) : NULL;
    if (slot && !slot->reads) slot->reads = PyDict_New();
    if (slot && slot->reads) PyDict_SetItem(slot->reads, name, operation);
    Py_XDECREF(operation);
    PyErr_Clear();
}

static PyObject *note_read(PyObject *at, PyObject *holder, PyObject *name, PyObject *operation, PyObject *value) {
    int before = busy;
    busy = 1;
    Py_INCREF(operation);
    PyObject *token = begin(recorder, at, known[N_READ], operation, holder, NULL, NULL);
    int done = !token ? -1 : Py_TYPE(token) == &TokenType ? end((Token *)token, value) : 0;
    Py_XDECREF(token);
    Py_DECREF(operation);
    busy = before;
    return done == 0 ? Py_NewRef(Py_True) : told_failure(name, holder);
}

static PyObject *read_attribute(PyObject *at, PyObject *holder, PyObject *name) {
    /* A class that extends the library's may answer with code of the client's own. */
    int before = flag_of(Py_TYPE(holder)) == OWN ? push() : depth;
    PyObject *value = PyObject_GetAttr(holder, name);
    depth = before;
    if (value && PyCFunction_Check(value) && PyModule_Check(holder) && !standing_of(value)) {
        PyObject *module = PyDict_GetItemWithError(PyModule_GetDict(holder), s_name);
        PyObject *told = module ? ask(GO_ADOPT, (PyObject *[]){module, name, value}, 3) : Py_NewRef(Py_None);
        if (!told) { Py_DECREF(value); return NULL; }
        Py_DECREF(told);
    }
    if (value && is_routine(value) && is_stored(holder, name)) return value;
    if (value && is_never(holder, NEVER_READ, name)) return value;
    PyObject *operation = value && !PyModule_Check(value) ? known_read(holder, name) : NULL;
    if (operation) {
        PyObject *told = note_read(at, holder, name, operation, value);
        if (!told) Py_CLEAR(value);
        Py_XDECREF(told);
        return value;
    }
    PyObject *kind = NULL, *error = NULL, *trace = NULL;
    if (!value) {
        PyErr_Fetch(&kind, &error, &trace);
        PyErr_NormalizeException(&kind, &error, &trace);
        if (trace && error) PyException_SetTraceback(error, trace);
    }
    PyObject *told = ask(GO_READ, (PyObject *[]){at, holder, name, value ? value : Py_None, error ? error : Py_None}, 5);
    if (!told) { Py_XDECREF(value); Py_XDECREF(kind); Py_XDECREF(error); Py_XDECREF(trace); return NULL; }
    if (told != Py_True) note_never(holder, NEVER_READ, k_read, name);
    else if (value) learn_read(holder, name);
    Py_DECREF(told);
    if (!value) PyErr_Restore(kind, error, trace);
    return value;
}

static PyObject *h_load(ARGS) {
    EXPECT(3)
    if (busy || !holds(args[1])) return PyObject_GetAttr(args[1], args[2]);
    return read_attribute(args[0], args[1], args[2]);
}

static PyObject *h_method(ARGS) {
    EXPECT(3)
    PyObject *callee = busy || !holds(args[1]) ? PyObject_GetAttr(args[1], args[2])
                                               : read_attribute(args[0], args[1], args[2]);
    if (!callee) return NULL;
    PyObject *found = checked(args[0], callee);
    Py_DECREF(callee);
    return found;
}

static PyObject *d_getitem, *d_setitem, *d_delitem, *d_contains, *d_bool, *d_len, *d_format, *d_str, *d_repr, *d_eq;
#define CROSS(token, work) { if (!(token)) return NULL; \
                             int before = (token) == Py_None ? depth : push(); PyObject *result = (work); \
                             depth = before; return finish((token), result); }
#define NONE_OR_ERROR(work) ((work) < 0 ? NULL : Py_NewRef(Py_None))

static PyObject *h_store(ARGS) { /* at, value, holder, name */
    EXPECT(4)
    if (busy || !holds(args[2])) return NONE_OR_ERROR(PyObject_SetAttr(args[2], args[3], args[1]));
    PyObject *token = begin_member(args[0], k_store, args[2], args[3], args[1], NULL);
    CROSS(token, NONE_OR_ERROR(PyObject_SetAttr(args[2], args[3], args[1])))
}

static PyObject *h_delete(ARGS) {
    EXPECT(3)
    if (busy || !holds(args[1])) return NONE_OR_ERROR(PyObject_SetAttr(args[1], args[2], NULL));
    PyObject *token = begin_member(args[0], k_delete, args[1], args[2], NULL, NULL);
    CROSS(token, NONE_OR_ERROR(PyObject_SetAttr(args[1], args[2], NULL)))
}

/* Items and operators */

static PyObject *h_item(ARGS) {
    EXPECT(3)
    if (busy || !touches(args[1])) return PyObject_GetItem(args[1], args[2]);
    PyObject *token = begin_member(args[0], k_call, args[1], d_getitem, args[2], NULL);
    CROSS(token, PyObject_GetItem(args[1], args[2]))
}

static PyObject *h_store_item(ARGS) { /* at, value, holder, key */
    EXPECT(4)
    if (busy || !touches(args[2])) return NONE_OR_ERROR(PyObject_SetItem(args[2], args[3], args[1]));
    PyObject *token = begin_member(args[0], k_call, args[2], d_setitem, args[3], args[1]);
    CROSS(token, NONE_OR_ERROR(PyObject_SetItem(args[2], args[3], args[1])))
}

static PyObject *h_delete_item(ARGS) {
    EXPECT(3)
    if (busy || !touches(args[1])) return NONE_OR_ERROR(PyObject_DelItem(args[1], args[2]));
    PyObject *token = begin_member(args[0], k_call, args[1], d_delitem, args[2], NULL);
    CROSS(token, NONE_OR_ERROR(PyObject_DelItem(args[1], args[2])))
}

typedef PyObject *(*Binary)(PyObject *, PyObject *);
static PyObject *power(PyObject *a, PyObject *b) { return PyNumber_Power(a, b, Py_None); }
static PyObject *ipower(PyObject *a, PyObject *b) { return PyNumber_InPlacePower(a, b, Py_None); }
static const Binary BINARY[] = {PyNumber_Add, PyNumber_Subtract, PyNumber_Multiply, PyNumber_TrueDivide,
    PyNumber_FloorDivide, PyNumber_Remainder, power, PyNumber_Lshift, PyNumber_Rshift, PyNumber_Or,
    PyNumber_Xor, PyNumber_And, PyNumber_MatrixMultiply};
static const Binary INPLACE[] = {PyNumber_InPlaceAdd, PyNumber_InPlaceSubtract, PyNumber_InPlaceMultiply,
    PyNumber_InPlaceTrueDivide, PyNumber_InPlaceFloorDivide, PyNumber_InPlaceRemainder, ipower,
    PyNumber_InPlaceLshift, PyNumber_InPlaceRshift, PyNumber_InPlaceOr, PyNumber_InPlaceXor,
    PyNumber_InPlaceAnd, PyNumber_InPlaceMatrixMultiply};

/* at, number, name, a, b: the left one is asked first; on the right one the mirrored name is used. */
static PyObject *operate(const Binary *table, PyObject *const *args) {
    Binary work = table[PyLong_AsLong(args[1])];
    PyObject *a = args[3], *b = args[4], *token;
    if (busy) return work(a, b);
    if (touches(a)) token = begin_member(args[0], k_call, a, args[2], b, NULL);
    else if (touches(b)) {
        PyObject *name = PyDict_GetItemWithError(mirrored, args[2]);
        token = begin_member(args[0], k_call, b, name ? name : args[2], a, NULL);
    }
    else if (Py_TYPE(a) == &PyUnicode_Type && held(b, 1)) token = begin_member(args[0], k_call, b, d_str, a, NULL);
    else return work(a, b);
    CROSS(token, work(a, b))
}

static PyObject *h_binary(ARGS) { EXPECT(5) return operate(BINARY, args); }
static PyObject *h_inplace(ARGS) { EXPECT(5) return operate(INPLACE, args); }

static PyObject *h_unary(ARGS) { /* at, number, name, a */
    EXPECT(4)
    static PyObject *(*const UNARY[])(PyObject *) = {PyNumber_Negative, PyNumber_Positive, PyNumber_Invert};
    PyObject *(*work)(PyObject *) = UNARY[PyLong_AsLong(args[1])];
    if (busy || !touches(args[3])) return work(args[3]);
    PyObject *token = begin_member(args[0], k_call, args[3], args[2], NULL, NULL);
    CROSS(token, work(args[3]))
}

static PyObject *h_compare(ARGS) { /* at, number, name, a, b */
    EXPECT(5)
    int number = (int)PyLong_AsLong(args[1]);
    PyObject *a = args[3], *b = args[4], *token;
    if (busy) return PyObject_RichCompare(a, b, number);
    if (touches(a)) token = begin_member(args[0], k_call, a, args[2], b, NULL);
    else if (touches(b)) {
        PyObject *name = PyDict_GetItemWithError(mirrored, args[2]);
        token = begin_member(args[0], k_call, b, name ? name : args[2], a, NULL);
    }
    else if (held(a, 2)) token = begin_member(args[0], k_call, a, args[2], b, NULL);
    else if (held(b, 2)) token = begin_member(args[0], k_call, b, args[2], a, NULL);
    else return PyObject_RichCompare(a, b, number);
    CROSS(token, PyObject_RichCompare(a, b, number))
}

static PyObject *contains(PyObject *b, PyObject *a, int is_not) {
    int found = PySequence_Contains(b, a);
    return found < 0 ? NULL : PyBool_FromLong(found != is_not);
}

static PyObject *h_contains(ARGS) { /* at, is_not, a, b */
    EXPECT(4)
    int is_not = args[1] == Py_True;
    PyObject *token;
    if (busy) return contains(args[3], args[2], is_not);
    if (touches(args[3])) token = begin_member(args[0], k_call, args[3], d_contains, args[2], NULL);
    else if (touches(args[2])) token = begin_member(args[0], k_call, args[2], d_eq, args[3], NULL);
    else if (held(args[3], 2)) token = begin_member(args[0], k_call, args[3], d_eq, args[2], NULL);
    else return contains(args[3], args[2], is_not);
    CROSS(token, contains(args[3], args[2], is_not))
}

static PyObject *truth(PyObject *thing) {
    int found = PyObject_IsTrue(thing);
    return found < 0 ? NULL : PyBool_FromLong(found);
}

static PyObject *h_truth(ARGS) {
    EXPECT(2)
    if (PyBool_Check(args[1])) return Py_NewRef(args[1]);
    if (busy || !touches(args[1])) return truth(args[1]);
    PyObject *token = begin_member(args[0], k_call, args[1], d_bool, NULL, NULL);
    CROSS(token, truth(args[1]))
}

static PyObject *formatted(PyObject *value, int conversion, PyObject *spec) {
    PyObject *shown = conversion == 's' ? PyObject_Str(value) : conversion == 'r' ? PyObject_Repr(value)
                    : conversion == 'a' ? PyObject_ASCII(value) : Py_NewRef(value);
    if (!shown) return NULL;
    PyObject *text = PyObject_Format(shown, spec);
    Py_DECREF(shown);
    return text;
}

static PyObject *h_text(ARGS) { /* at, value, conversion, spec */
    EXPECT(4)
    int conversion = (int)PyLong_AsLong(args[2]);
    if (busy || (!touches(args[1]) && !held(args[1], 2))) return formatted(args[1], conversion, args[3]);
    PyObject *name = conversion == 'r' || conversion == 'a' ? d_repr : conversion == 's' ? d_str : d_format;
    PyObject *token = begin_member(args[0], k_call, args[1], name, args[3], NULL);
    CROSS(token, formatted(args[1], conversion, args[3]))
}

/* Iterators, generators and awaitables, step by step */

typedef struct { PyObject_HEAD PyObject *at, *source, *inner, *token, *kind; int is_await, is_over; } Steps;
static PyTypeObject StepsType, AwaitableType, ManagerType, AsyncItemsType;

/* Without `inner` the source is asked for its iterator at the first step. */
static PyObject *steps_make(PyObject *at, PyObject *source, PyObject *inner, int is_await, PyObject *kind) {
    Steps *made = PyObject_GC_New(Steps, &StepsType);
    if (!made) { Py_XDECREF(inner); return NULL; }
    made->at = Py_NewRef(at);
    made->source = Py_NewRef(source);
    made->inner = inner;
    made->token = NULL;
    made->kind = Py_NewRef(kind);
    made->is_await = is_await;
    made->is_over = 0;
    PyObject_GC_Track(made);
    return (PyObject *)made;
}

static PyObject *steps_new(PyObject *at, PyObject *source, PyObject *inner, int is_await, PyObject *kind) {
    return inner ? steps_make(at, source, inner, is_await, kind) : NULL;
}

static int steps_traverse(Steps *self, visitproc visit, void *arg) {
    Py_VISIT(self->source); Py_VISIT(self->inner); Py_VISIT(self->token);
    return 0;
}
static int steps_clear(Steps *self) {
    Py_CLEAR(self->source); Py_CLEAR(self->inner); Py_CLEAR(self->token);
    return 0;
}
static void steps_dealloc(Steps *self) {
    PyObject_GC_UnTrack(self);
    steps_clear(self);
    Py_CLEAR(self->at); Py_CLEAR(self->kind);
    PyObject_GC_Del(self);
}

static int steps_begin(Steps *self) {
    if (!self->is_await || self->token || self->is_over || busy) return 0;
    self->token = ask(GO_BEGIN_STEP, (PyObject *[]){self->at, self->source, self->kind}, 3);
    return self->token ? 0 : -1;
}

static PySendResult steps_done(Steps *self, PySendResult how, PyObject **result) {
    if (self->is_await) {
        if (how == PYGEN_NEXT) return how;
        PyObject *token = self->token;
        self->token = NULL;
        self->is_over = 1;
        *result = finish(token, how == PYGEN_RETURN ? *result : NULL);
        return *result ? PYGEN_RETURN : PYGEN_ERROR;
    }
    if (busy) return how;
    if (how == PYGEN_ERROR && PyErr_ExceptionMatches(PyExc_GeneratorExit)) return how;
    PyObject *kind = NULL, *error = NULL, *trace = NULL;
    if (how == PYGEN_ERROR) {
        PyErr_Fetch(&kind, &error, &trace);
        PyErr_NormalizeException(&kind, &error, &trace);
        if (trace && error) PyException_SetTraceback(error, trace);
    } else if (how == PYGEN_RETURN && *result == Py_None) return how;
    PyObject *told = ask(GO_ITEM, (PyObject *[]){self->at, self->source, *result ? *result : Py_None,
                                               error ? error : Py_None}, 4);
    if (!told) {
        Py_XDECREF(kind); Py_XDECREF(error); Py_XDECREF(trace); Py_CLEAR(*result);
        return PYGEN_ERROR;
    }
    Py_DECREF(told);
    if (how == PYGEN_ERROR) PyErr_Restore(kind, error, trace);
    return how;
}

static PySendResult steps_send(Steps *self, PyObject *value, PyObject **result) {
    *result = NULL;
    if (!self->inner && !(self->inner = PyObject_GetIter(self->source))) return PYGEN_ERROR;
    if (steps_begin(self) < 0) return PYGEN_ERROR;
    int before = push();
    PySendResult how = PyIter_Send(self->inner, value, result);
    depth = before;
    return steps_done(self, how, result);
}

static PyObject *as_value(PySendResult how, PyObject *result) {
    if (how == PYGEN_NEXT) return result;
    if (how == PYGEN_RETURN) {
        if (result == Py_None) PyErr_SetNone(PyExc_StopIteration);
        else {
            PyObject *stop = PyObject_CallOneArg(PyExc_StopIteration, result);
            if (stop) { PyErr_SetObject(PyExc_StopIteration, stop); Py_DECREF(stop); }
        }
        Py_XDECREF(result);
    }
    return NULL;
}

static PyObject *steps_next(Steps *self) {
    PyObject *result;
    PySendResult how = steps_send(self, Py_None, &result);
    if (how == PYGEN_RETURN && result == Py_None) { Py_DECREF(result); return NULL; }
    return as_value(how, result);
}

static PyObject *steps_send_method(Steps *self, PyObject *value) {
    PyObject *result;
    PySendResult how = steps_send(self, value, &result);
    return as_value(how, result);
}

/* Whether the exception on its way is the end of a generator, and then what it returned. */
static int stopped(PyObject **result) {
    if (!PyErr_Occurred()) { *result = Py_NewRef(Py_None); return 1; }
    if (!PyErr_ExceptionMatches(PyExc_StopIteration)) return 0;
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    PyErr_NormalizeException(&kind, &value, &trace);
    *result = value ? PyObject_GetAttrString(value, "value") : Py_NewRef(Py_None);
    Py_XDECREF(kind); Py_XDECREF(value); Py_XDECREF(trace);
    return *result != NULL;
}

static PyObject *steps_throw(Steps *self, PyObject *args) {
    if (steps_begin(self) < 0) return NULL;
    PyObject *method = PyObject_GetAttr(self->inner, s_throw), *result = NULL;
    PySendResult how = PYGEN_NEXT;
    if (!method) {
        PyErr_Clear();
        PyObject *kind = PyTuple_Size(args) ? PyTuple_GET_ITEM(args, 0) : PyExc_TypeError;
        if (PyExceptionInstance_Check(kind)) PyErr_SetObject((PyObject *)Py_TYPE(kind), kind);
        else PyErr_SetObject(kind, PyTuple_Size(args) > 1 ? PyTuple_GET_ITEM(args, 1) : NULL);
        how = PYGEN_ERROR;
    } else {
        int before = push();
        result = PyObject_CallObject(method, args);
        depth = before;
        Py_DECREF(method);
        if (!result) how = stopped(&result) ? PYGEN_RETURN : PYGEN_ERROR;
    }
    how = steps_done(self, how, &result);
    return as_value(how, result);
}

static PyObject *steps_close(Steps *self, PyObject *unused) {
    PyObject *method = self->inner ? PyObject_GetAttr(self->inner, s_close) : NULL;
    if (!method) { PyErr_Clear(); Py_RETURN_NONE; }
    PyObject *result = PyObject_CallNoArgs(method);
    Py_DECREF(method);
    return result;
}

static PyMethodDef steps_methods[] = {
    {"send", (PyCFunction)steps_send_method, METH_O, NULL},
    {"throw", (PyCFunction)steps_throw, METH_VARARGS, NULL},
    {"close", (PyCFunction)steps_close, METH_NOARGS, NULL},
    {NULL}};
static PyAsyncMethods steps_async = {.am_send = (sendfunc)steps_send};
static PyTypeObject StepsType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "likewise.library.Steps",
    .tp_basicsize = sizeof(Steps),
    .tp_dealloc = (destructor)steps_dealloc,
    .tp_traverse = (traverseproc)steps_traverse,
    .tp_clear = (inquiry)steps_clear,
    .tp_iter = PyObject_SelfIter,
    .tp_iternext = (iternextfunc)steps_next,
    .tp_methods = steps_methods,
    .tp_as_async = &steps_async,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
};

/* A pair of a place and a thing behind it: awaitables, context managers, asynchronous iterators */

typedef struct { PyObject_HEAD PyObject *at, *source, *kind; } Pair;

static PyObject *pair_new(PyTypeObject *type, PyObject *at, PyObject *source, PyObject *kind) {
    Pair *made = PyObject_GC_New(Pair, type);
    if (!made) return NULL;
    made->at = Py_NewRef(at);
    made->source = Py_NewRef(source);
    made->kind = Py_NewRef(kind);
    PyObject_GC_Track(made);
    return (PyObject *)made;
}
static int pair_traverse(Pair *self, visitproc visit, void *arg) { Py_VISIT(self->source); return 0; }
static int pair_clear(Pair *self) { Py_CLEAR(self->source); return 0; }
static void pair_dealloc(Pair *self) {
    PyObject_GC_UnTrack(self);
    Py_CLEAR(self->at); Py_CLEAR(self->source); Py_CLEAR(self->kind);
    PyObject_GC_Del(self);
}

static PyObject *awaiting(PyObject *source) {
    if (PyCoro_CheckExact(source)) return Py_NewRef(source);
    PyAsyncMethods *how = Py_TYPE(source)->tp_as_async;
    if (how && how->am_await) return how->am_await(source);
    PyErr_Format(PyExc_TypeError, "object %.100s can't be used in 'await' expression", Py_TYPE(source)->tp_name);
    return NULL;
}

static PyObject *awaitable_await(Pair *self) {
    return steps_new(self->at, self->source, awaiting(self->source), 1, self->kind);
}
static PyAsyncMethods awaitable_async = {.am_await = (unaryfunc)awaitable_await};

static PyObject *async_items_next(Pair *self) {
    PyAsyncMethods *how = Py_TYPE(self->source)->tp_as_async;
    if (!how || !how->am_anext) { PyErr_SetString(PyExc_TypeError, "not an asynchronous iterator"); return NULL; }
    PyObject *step = how->am_anext(self->source);
    if (!step) return NULL;
    PyObject *made = pair_new(&AwaitableType, self->at, step, self->source);
    Py_DECREF(step);
    return made;
}
static PyAsyncMethods async_items_async = {.am_aiter = PyObject_SelfIter, .am_anext = (unaryfunc)async_items_next};

static PyObject *manage(Pair *self, PyObject *name, PyObject *const *args, Py_ssize_t count, int is_async) {
    PyObject *method = PyObject_GetAttr((PyObject *)Py_TYPE(self->source), name);
    if (!method) return NULL;
    PyObject *token = NULL;
    if (!busy && !is_async) { /* of an asynchronous one the step that is awaited counts */
        PyObject *none = PyTuple_New(0);
        token = none ? ask(GO_BEGIN_MEMBER, (PyObject *[]){self->at, k_call, self->source, name, none}, 5) : NULL;
        Py_XDECREF(none);
        if (!token) { Py_DECREF(method); return NULL; }
    }
    PyObject *all[4] = {self->source, count > 0 ? args[0] : NULL, count > 1 ? args[1] : NULL, count > 2 ? args[2] : NULL};
    int before = push();
    PyObject *result = PyObject_Vectorcall(method, all, count + 1, NULL);
    depth = before;
    Py_DECREF(method);
    if (!is_async || !result) return finish(token, result);
    Py_XDECREF(token);
    PyObject *made = pair_new(&AwaitableType, self->at, result, name);
    Py_DECREF(result);
    return made;
}
static PyObject *manager_enter(Pair *self, PyObject *none) { return manage(self, s_enter, NULL, 0, 0); }
static PyObject *manager_exit(Pair *self, PyObject *const *args, Py_ssize_t n) { return manage(self, s_exit, args, n, 0); }
static PyObject *manager_aenter(Pair *self, PyObject *none) { return manage(self, s_aenter, NULL, 0, 1); }
static PyObject *manager_aexit(Pair *self, PyObject *const *args, Py_ssize_t n) { return manage(self, s_aexit, args, n, 1); }
static PyMethodDef manager_methods[] = {
    {"__enter__", (PyCFunction)manager_enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)(void (*)(void))manager_exit, METH_FASTCALL, NULL},
    {NULL}};
static PyMethodDef async_manager_methods[] = {
    {"__aenter__", (PyCFunction)manager_aenter, METH_NOARGS, NULL},
    {"__aexit__", (PyCFunction)(void (*)(void))manager_aexit, METH_FASTCALL, NULL},
    {NULL}};

#define PAIR(label) PyVarObject_HEAD_INIT(NULL, 0).tp_name = label, .tp_basicsize = sizeof(Pair), \
    .tp_dealloc = (destructor)pair_dealloc, .tp_traverse = (traverseproc)pair_traverse, \
    .tp_clear = (inquiry)pair_clear, \
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION
static PyTypeObject AwaitableType = {PAIR("likewise.library.Awaitable"), .tp_as_async = &awaitable_async};
static PyTypeObject AsyncItemsType = {PAIR("likewise.library.AsyncItems"), .tp_as_async = &async_items_async};
static PyTypeObject ManagerType = {PAIR("likewise.library.Manager"), .tp_methods = manager_methods};
static PyTypeObject AsyncManagerType = {PAIR("likewise.library.AsyncManager"), .tp_methods = async_manager_methods};

static int is_iterable_crossing(PyObject *thing) { return touches(thing) || is_library_generator(thing); }

static PyObject *h_iterate(ARGS) {
    EXPECT(2)
    if (busy || !is_iterable_crossing(args[1])) return Py_NewRef(args[1]);
    int before = push();
    PyObject *inner = PyObject_GetIter(args[1]);
    depth = before;
    return steps_new(args[0], args[1], inner, 0, k_item);
}

static PyObject *h_items(ARGS) {
    EXPECT(2)
    return steps_make(args[0], args[1], NULL, 0, k_item);
}

static PyObject *h_wait(ARGS) {
    EXPECT(2)
    if (busy || !is_iterable_crossing(args[1])) return Py_NewRef(args[1]);
    return pair_new(&AwaitableType, args[0], args[1], k_item);
}

static PyObject *h_async_iterate(ARGS) {
    EXPECT(2)
    if (busy || !is_iterable_crossing(args[1])) return Py_NewRef(args[1]);
    PyAsyncMethods *how = Py_TYPE(args[1])->tp_as_async;
    if (!how || !how->am_aiter) return Py_NewRef(args[1]);
    PyObject *inner = how->am_aiter(args[1]);
    if (!inner) return NULL;
    PyObject *made = pair_new(&AsyncItemsType, args[0], inner, k_item);
    Py_DECREF(inner);
    return made;
}

static int is_context_crossing(PyObject *thing) {
    int flag = flag_of(Py_TYPE(thing));
    if (flag == OWN || flag == DERIVED) return 1;
    if (flag != CONTEXT) return 0;
    PyObject *inner = PyObject_GetAttr(thing, s_gen);
    if (!inner) { PyErr_Clear(); return 0; }
    int found = is_library_generator(inner);
    Py_DECREF(inner);
    return found;
}

static PyObject *h_manage(ARGS) {
    EXPECT(2)
    if (busy || !is_context_crossing(args[1])) return Py_NewRef(args[1]);
    return pair_new(&ManagerType, args[0], args[1], k_call);
}
static PyObject *h_async_manage(ARGS) {
    EXPECT(2)
    if (busy || !is_context_crossing(args[1])) return Py_NewRef(args[1]);
    return pair_new(&AsyncManagerType, args[0], args[1], k_call);
}

/* The library calls the client */

static int is_watched(void) {
    if (busy) return 0;
    if (depth) return 1;
    if (!thread_kind) {
        PyObject *threading = PyImport_ImportModule("threading");
        PyObject *main = threading ? PyObject_CallMethod(threading, "main_thread", NULL) : NULL;
        PyObject *ident = main ? PyObject_GetAttrString(main, "ident") : NULL;
        thread_kind = ident && PyLong_AsUnsignedLong(ident) != PyThread_get_thread_ident() ? 2 : 1;
        Py_XDECREF(ident); Py_XDECREF(main); Py_XDECREF(threading);
        PyErr_Clear();
    }
    if (thread_kind == 2) return 1;
    PyObject *loop = running_loop ? PyObject_CallNoArgs(running_loop) : NULL;
    if (!loop) { PyErr_Clear(); return 0; }
    int found = loop != Py_None;
    Py_DECREF(loop);
    return found;
}

/* Whether the frame's caller, stdlib and others left out, is the library. */
static int is_called_by_library(PyFrameObject *frame) {
    PyFrameObject *back = PyFrame_GetBack(frame);
    int found = 0;
    for (int steps = 0; back && steps < 40; steps++) {
        PyCodeObject *code = PyFrame_GetCode(back);
        int file = file_of(code);
        Py_DECREF(code);
        if (file == LIBRARY) { found = 1; break; }
        if (file == CLIENT) { found = depth && depth < MOST && frames[depth] == (void *)back; break; }
        PyFrameObject *further = PyFrame_GetBack(back);
        Py_DECREF(back);
        back = further;
    }
    Py_XDECREF(back);
    return found;
}

/* The same, where nobody waits for the library: others may have called it, or a class is being made. */
static int is_called_directly(PyFrameObject *frame) {
    PyFrameObject *back = PyFrame_GetBack(frame);
    if (!back) return 0;
    PyCodeObject *code = PyFrame_GetCode(back);
    int file = file_of(code);
    Py_DECREF(code);
    Py_DECREF(back);
    return file == LIBRARY;
}

static int is_callback(PyFrameObject *frame) {
    if (!frame || busy) return 0;
    return is_watched() ? is_called_by_library(frame) : is_called_directly(frame);
}

static PyObject *enter(PyObject *const *args, Py_ssize_t count, int is_lambda) {
    if (busy) Py_RETURN_NONE;
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    PyObject *token = NULL;
    if (is_callback(frame)) {
        PyObject *held = tuple_of(args + 1, count - 1);
        token = held ? ask(GO_ENTRY, (PyObject *[]){args[0], held}, 2) : NULL;
        Py_XDECREF(held);
        if (!token) { Py_XDECREF(frame); return NULL; }
    }
    if (!token) token = Py_NewRef(Py_None);
    if (!is_lambda && token != Py_None) {
        PyObject *key = PyLong_FromVoidPtr(frame);
        PyDict_SetItem(callbacks, key, token);
        Py_DECREF(key);
        Py_DECREF(token);
        token = Py_NewRef(Py_None);
    }
    Py_XDECREF(frame);
    return token;
}

static PyObject *h_entry(ARGS) { return enter(args, count, 0); }
static PyObject *h_lambda(ARGS) { return enter(args, count, 1); }

static PyObject *take_token(void) {
    if (!PyDict_GET_SIZE(callbacks)) return NULL;
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    PyObject *key = PyLong_FromVoidPtr(frame);
    Py_XDECREF(frame);
    PyObject *token = PyDict_GetItemWithError(callbacks, key);
    Py_XINCREF(token);
    if (token) PyDict_DelItem(callbacks, key);
    Py_DECREF(key);
    return token;
}

static PyObject *h_leave(PyObject *self, PyObject *value) { return finish(take_token(), Py_NewRef(value)); }

static PyObject *h_lambda_leave(ARGS) {
    EXPECT(2)
    if (args[0] == Py_None) return Py_NewRef(args[1]);
    return finish(Py_NewRef(args[0]), Py_NewRef(args[1]));
}

/* In a `finally`: with an exception on its way it was raised, without one the end was reached. */
static PyObject *h_done(PyObject *self, PyObject *unused) {
    PyObject *token = take_token();
    if (!token) Py_RETURN_NONE;
    PyObject *kind, *value, *trace;
    PyErr_GetExcInfo(&kind, &value, &trace);
    int is_raised = value && value != Py_None;
    PyObject *told = is_raised ? ask(GO_FAIL, (PyObject *[]){token, value}, 2)
                               : tell_end(token, Py_None);
    Py_XDECREF(kind); Py_XDECREF(value); Py_XDECREF(trace);
    Py_DECREF(token);
    return told;
}

/* A destructor runs whenever somebody lets go: what it does is nobody's doing. `ask` says 1. */
static PyObject *h_hush(PyObject *self, PyObject *unused) { busy += 2; Py_RETURN_NONE; }
static PyObject *h_unhush(PyObject *self, PyObject *unused) { busy -= 2; Py_RETURN_NONE; }

static PyObject *h_give(ARGS) { /* site, value: a generator of the client yields */
    EXPECT(2)
    if (!busy) {
        PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
        if (is_callback(frame)) {
            PyObject *none = PyTuple_New(0);
            PyObject *token = none ? ask(GO_ENTRY, (PyObject *[]){args[0], none, k_yield}, 3) : NULL;
            Py_XDECREF(none);
            Py_DECREF(frame);
            return token ? finish(token, Py_NewRef(args[1])) : NULL;
        }
        Py_XDECREF(frame);
    }
    return Py_NewRef(args[1]);
}

static PyObject *h_imported(ARGS) { /* at, module, names, values */
    EXPECT(4)
    if (busy) Py_RETURN_NONE;
    return ask(GO_IMPORTED, (PyObject **)args, 4);
}

/* Setting up */

static int keep_specials(PyObject *specials, PyObject *through) {
    PyObject *each, *iterator = PyObject_GetIter(specials);
    while (iterator && (each = PyIter_Next(iterator)))
        slots_put(each, PySequence_Contains(through, each) == 1 ? THROUGH : PLAIN, each); /* kept for good */
    Py_XDECREF(iterator);
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *h_meet(ARGS) { /* specials, those that look through containers, the running loop if they are asyncio's */
    EXPECT(3)
    if (keep_specials(args[0], args[1]) < 0) return NULL;
    if (args[2] != Py_None) Py_XSETREF(running_loop, Py_NewRef(args[2]));
    Py_RETURN_NONE;
}

static PyObject *set_up(PyObject *self, PyObject *args) {
    PyObject *hub, *specials, *through;
    if (!PyArg_ParseTuple(args, "OOOO", &hub, &specials, &through, &mirrored)) return NULL;
    for (int i = 0; i < GO_COUNT; i++) {
        PyObject *method = PyObject_GetAttrString(hub, GO_NAMES[i]);
        if (!method) return NULL;
        Py_XSETREF(go[i], method);
    }
    Py_INCREF(mirrored);
    PyObject *given = PyObject_GetAttrString(hub, "recorder"), *names = PyObject_GetAttrString(hub, "stored");
    if (!given || !names || !PySet_Check(names)) { Py_XDECREF(given); Py_XDECREF(names); return NULL; }
    Py_XSETREF(stored, names);
    stored_before = PySet_GET_SIZE(stored);
    int is_ours = PyObject_TypeCheck(given, &RecorderType);
    Py_XSETREF(recorder, is_ours ? (Recorder *)Py_NewRef(given) : NULL);
    Py_DECREF(given);
    Py_CLEAR(running_loop);
    Py_XSETREF(owners, PyDict_New());
    Py_XSETREF(files, PyDict_New());
    Py_XSETREF(callbacks, PyDict_New());
    if (slots) memset(slots, 0, (slots_mask + 1) * sizeof(Slot)); else slots_grow();
    slots_used = 0;
    if (keep_specials(specials, through) < 0) return NULL;
    PyObject *text = PyUnicode_FromString(""), *format = PyObject_GetAttrString(text, "format");
    if (!format) return NULL;
    str_format = ((PyCFunctionObject *)format)->m_ml;
    Py_DECREF(format);
    Py_DECREF(text);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

#define FAST(name, function) {name, (PyCFunction)(void (*)(void))function, METH_FASTCALL, NULL}
static PyMethodDef methods[] = {
    {"set_up", set_up, METH_VARARGS, NULL}, {"equip", h_equip, METH_VARARGS, NULL},
    FAST("call", h_call), FAST("method", h_method), FAST("load", h_load), FAST("store", h_store),
    FAST("delete", h_delete), FAST("item", h_item), FAST("store_item", h_store_item),
    FAST("delete_item", h_delete_item), FAST("binary", h_binary), FAST("inplace", h_inplace),
    FAST("unary", h_unary), FAST("compare", h_compare), FAST("contains", h_contains),
    FAST("truth", h_truth), FAST("text", h_text), FAST("iterate", h_iterate), FAST("wait", h_wait),
    FAST("async_iterate", h_async_iterate), FAST("manage", h_manage), FAST("async_manage", h_async_manage),
    FAST("entry", h_entry), FAST("lambda_entry", h_lambda), FAST("lambda_leave", h_lambda_leave),
    FAST("give", h_give), FAST("imported", h_imported), FAST("wrap", h_wrap), FAST("items", h_items), FAST("hand", h_hand), FAST("meet", h_meet),
    {"builtin", (PyCFunction)(void (*)(void))h_builtin, METH_FASTCALL | METH_KEYWORDS, NULL},
    {"leave", h_leave, METH_O, NULL},
    {"own", h_own, METH_O, NULL},
    {"done", h_done, METH_NOARGS, NULL},
    {"hush", h_hush, METH_NOARGS, NULL},
    {"unhush", h_unhush, METH_NOARGS, NULL},
    {NULL}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "native", NULL, -1, methods};

PyMODINIT_FUNC PyInit_native(void) {
    PyTypeObject *types[] = {&CrosserType, &StepsType, &AwaitableType, &AsyncItemsType, &ManagerType, &AsyncManagerType};
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        if (PyType_Ready(types[i]) < 0) return NULL;
    struct { PyObject **place; const char *text; } texts[] = {
        {&s_name, "__name__"}, {&s_func, "func"}, {&s_wrapped, "__wrapped__"}, {&s_module, "__module__"},
        {&s_self, "__self__"}, {&s_gen, "gen"}, {&s_tzinfo, "tzinfo"}, {&s_enter, "__enter__"}, {&s_exit, "__exit__"},
        {&s_aenter, "__aenter__"}, {&s_aexit, "__aexit__"}, {&s_send, "send"}, {&s_throw, "throw"},
        {&s_close, "close"}, {&k_call, "call"}, {&k_store, "store"}, {&k_delete, "delete"},
        {&k_read, "read"}, {&k_item, "item"}, {&k_yield, "yield"}, {&d_getitem, "__getitem__"}, {&d_setitem, "__setitem__"},
        {&d_delitem, "__delitem__"}, {&d_contains, "__contains__"}, {&d_bool, "__bool__"},
        {&d_len, "__len__"}, {&d_format, "__format__"}, {&d_str, "__str__"}, {&d_repr, "__repr__"}, {&d_eq, "__eq__"}};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (!(*texts[i].place = PyUnicode_InternFromString(texts[i].text))) return NULL;
    PyObject *made = PyModule_Create(&module);
    if (made && add_noting(made) < 0) Py_CLEAR(made);
    return made;
}
