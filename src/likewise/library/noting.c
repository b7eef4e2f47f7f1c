/* The part of native.c that keeps what crosses until its test ends. The meaning of Running, Token and Recorder
   is that of their namesakes in recorder.py, whose classes extend the types here (noting.py): what those leave
   out, and what is rare, is done there. */

/* A trace in the making; `recent` knows, by place, what was added to there. */
#define MOST_RECENT 32

typedef struct { PyObject_HEAD PyObject *values, *tokens, *places, *recent; Py_ssize_t orders; } Running;
static int running_traverse(Running *self, visitproc visit, void *arg) {
    Py_VISIT(self->values); Py_VISIT(self->tokens); Py_VISIT(self->places); Py_VISIT(self->recent);
    return 0;
}
static int running_clear(Running *self) {
    Py_CLEAR(self->values); Py_CLEAR(self->tokens); Py_CLEAR(self->places); Py_CLEAR(self->recent);
    return 0;
}
static void running_dealloc(Running *self) {
    PyObject_GC_UnTrack(self);
    running_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}
static PyMemberDef running_members[] = {
    {"values", T_OBJECT_EX, offsetof(Running, values), 0, NULL}, {"tokens", T_OBJECT_EX, offsetof(Running, tokens), 0, NULL},
    {"places", T_OBJECT_EX, offsetof(Running, places), 0, NULL}, {"orders", T_PYSSIZET, offsetof(Running, orders), 0, NULL},
    {NULL}};
static PyTypeObject RunningType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "likewise.library.Running", .tp_basicsize = sizeof(Running),
    .tp_new = PyType_GenericNew, .tp_dealloc = (destructor)running_dealloc,
    .tp_traverse = (traverseproc)running_traverse, .tp_clear = (inquiry)running_clear, .tp_members = running_members,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE};

typedef struct {
    PyObject_HEAD PyObject *running, *at, *kind, *operation, *arguments, *lane, *receiver, *watched, *changing,
        *outcome, *after, *state;
    Py_ssize_t order, turn, until;
    char is_kept, makes, is_plain;
} Token;
#define TOKEN_PARTS(DO) DO(running) DO(at) DO(kind) DO(operation) DO(arguments) DO(lane) DO(receiver) DO(watched) \
    DO(changing) DO(outcome) DO(after) DO(state)
#define VISIT_PART(name) Py_VISIT(self->name);
#define CLEAR_PART(name) Py_CLEAR(self->name);
static int token_traverse(Token *self, visitproc visit, void *arg) { TOKEN_PARTS(VISIT_PART) return 0; }
static int token_clear(Token *self) { TOKEN_PARTS(CLEAR_PART) return 0; }
static void token_dealloc(Token *self) {
    PyObject_GC_UnTrack(self);
    token_clear(self);
    PyObject_GC_Del(self);
}
#define OBJECT_MEMBER(name) {#name, T_OBJECT, offsetof(Token, name), 0, NULL},
#define NUMBER_MEMBER(name) {#name, T_PYSSIZET, offsetof(Token, name), 0, NULL},
#define FLAG_MEMBER(name) {#name, T_BOOL, offsetof(Token, name), 0, NULL},
static PyMemberDef token_members[] = {
    TOKEN_PARTS(OBJECT_MEMBER) NUMBER_MEMBER(order) NUMBER_MEMBER(turn) NUMBER_MEMBER(until)
    FLAG_MEMBER(is_kept) FLAG_MEMBER(makes) FLAG_MEMBER(is_plain) {NULL}};

/* The row of a token, as `crossing.row` makes it. */
static PyObject *token_row(Token *self, PyObject *lane) {
    PyObject *wire = PyDict_New(), *order = PyLong_FromSsize_t(self->order), *made = NULL;
    int has_after = self->after && self->after != Py_None ? PyObject_IsTrue(self->after) : 0;
    if (wire && order && has_after >= 0 && PyDict_SetItem(wire, w_at, self->at) == 0 &&
        put(wire, w_kind, PyObject_GetAttr(self->kind, w_value)) == 0 &&
        (!has_after || PyDict_SetItem(wire, w_after, self->after) == 0) &&
        (!self->state || self->state == Py_None || PyDict_SetItem(wire, w_state, self->state) == 0) &&
        (self->until <= self->order || put(wire, w_until, PyLong_FromSsize_t(self->until)) == 0) &&
        (!self->turn || put(wire, w_turn, PyLong_FromSsize_t(self->turn)) == 0)) {
        PyObject *outcome = self->outcome && self->outcome != Py_None ? self->outcome : known[N_UNSEEN];
        made = PyTuple_Pack(7, self->operation, self->arguments, outcome, self->receiver, order, lane, wire);
    }
    Py_XDECREF(wire);
    Py_XDECREF(order);
    return made;
}
static PyMethodDef token_methods[] = {{"row", (PyCFunction)token_row, METH_O, NULL}, {NULL}};
static PyTypeObject TokenType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "likewise.library.Token", .tp_basicsize = sizeof(Token),
    .tp_dealloc = (destructor)token_dealloc, .tp_traverse = (traverseproc)token_traverse,
    .tp_clear = (inquiry)token_clear, .tp_members = token_members, .tp_methods = token_methods,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION};

/* What is left of a crossing that is not kept: its text, as `repr` says it, without numbers of objects. */

typedef struct { char *text, room[512]; size_t used, size; int objects; } Text;

static int write_bytes(Text *out, const char *text, size_t size) {
    if (out->used + size > out->size) {
        size_t wanted = (out->used + size) * 2;
        char *more = PyMem_Malloc(wanted);
        if (!more) return -1;
        memcpy(more, out->text, out->used);
        if (out->text != out->room) PyMem_Free(out->text);
        out->text = more;
        out->size = wanted;
    }
    memcpy(out->text + out->used, text, size);
    out->used += size;
    return 0;
}
#define WRITE(out, text) write_bytes(out, text, sizeof(text) - 1)

static int write_repr(Text *out, PyObject *thing) {
    PyObject *shown = PyObject_Repr(thing);
    if (!shown) return -1;
    int done;
    if (PyUnicode_IS_COMPACT_ASCII(shown))
        done = write_bytes(out, (const char *)PyUnicode_1BYTE_DATA(shown), PyUnicode_GET_LENGTH(shown));
    else {
        PyObject *coded = PyUnicode_AsEncodedString(shown, "utf-8", "surrogatepass");
        done = coded ? write_bytes(out, PyBytes_AS_STRING(coded), PyBytes_GET_SIZE(coded)) : -1;
        Py_XDECREF(coded);
    }
    Py_DECREF(shown);
    return done;
}

/* Whether it is what `opaque` makes, with a name that has no quote in it. */
static int is_object(PyObject *data) {
    Py_ssize_t size = PyDict_GET_SIZE(data), place = 0;
    PyObject *key, *value;
    if (size != 3 && size != 4) return 0;
    PyObject *const keys[] = {w_is, w_type, w_id, w_late};
    for (int i = 0; PyDict_Next(data, &place, &key, &value); i++) {
        if (key != keys[i]) return 0;
        if (i == 0 && value != w_object) return 0;
        if (i == 1 && (!PyUnicode_CheckExact(value) || PyUnicode_FindChar(value, '\'', 0, PyUnicode_GET_LENGTH(value), 1) != -1))
            return 0;
        if (i == 2 && !PyLong_CheckExact(value)) return 0;
        if (i == 3 && value != Py_True) return 0;
    }
    return 1;
}

static int write_data(Text *out, PyObject *data) {
    if (!data || data == Py_None) return WRITE(out, "None");
    if (PyList_CheckExact(data)) {
        if (WRITE(out, "[") < 0) return -1;
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(data); i++)
            if ((i && WRITE(out, ", ") < 0) || write_data(out, PyList_GET_ITEM(data, i)) < 0) return -1;
        return WRITE(out, "]");
    }
    if (!PyDict_CheckExact(data)) return write_repr(out, data);
    if (is_object(data)) {
        out->objects++;
        return WRITE(out, "{'is': 'object', 'id': 0}");
    }
    PyObject *key, *value;
    Py_ssize_t place = 0;
    if (WRITE(out, "{") < 0) return -1;
    for (int i = 0; PyDict_Next(data, &place, &key, &value); i++)
        if ((i && WRITE(out, ", ") < 0) || write_repr(out, key) < 0 || WRITE(out, ": ") < 0 || write_data(out, value) < 0)
            return -1;
    return WRITE(out, "}");
}

static int count_in(const Text *text, const char *needle, int most) {
    size_t size = strlen(needle);
    const char *at = text->text, *end = text->text + text->used;
    int found = 0;
    while (found < most && (size_t)(end - at) >= size && (at = memchr(at, needle[0], end - at - size + 1))) {
        if (!memcmp(at, needle, size)) found++;
        at++;
    }
    return found;
}

/* Whether `plain_text` and `unnumbered` would leave the text as it is. */
static int is_settled(const Text *text) {
    static const char *const NEEDLES[] = {"0x", "tmp", "-packages", "pytest-of-", "127.0.0.1:", "localhost:", "0.0.0.0:", "[::1]:"};
    if (count_in(text, "'id': ", text->objects + 1) != text->objects) return 0;
    for (size_t i = 0; i < sizeof(NEEDLES) / sizeof(*NEEDLES); i++)
        if (count_in(text, NEEDLES[i], 1)) return 0;
    return 1;
}

static PyObject *rest_of(Token *token) {
    Running *running = (Running *)token->running;
    PyObject *recent = token->lane ? NULL : PyDict_GetItemWithError(running->recent, token->at);
    for (Py_ssize_t i = 0; recent && i < PyList_GET_SIZE(recent); i++) {
        PyObject *each = PyList_GET_ITEM(recent, i);
        if (PyTuple_GET_ITEM(each, 0) == token->kind && PyTuple_GET_ITEM(each, 1) == token->operation)
            return Py_NewRef(PyTuple_GET_ITEM(each, 2));
    }
    if (!recent && PyErr_Occurred()) return NULL;
    PyObject *rest = PyObject_CallOneArg(known[N_REST], (PyObject *)token), *made = NULL;
    if (!rest || token->lane) return rest;
    if (!recent && put(running->recent, token->at, PyList_New(0)) == 0)
        recent = PyDict_GetItemWithError(running->recent, token->at);
    if (recent && PyList_GET_SIZE(recent) < MOST_RECENT) made = PyTuple_Pack(3, token->kind, token->operation, rest);
    if (made && PyList_Append(recent, made) < 0) Py_CLEAR(rest);
    Py_XDECREF(made);
    if (PyErr_Occurred()) Py_CLEAR(rest);
    return rest;
}

static int rest_add(Token *token, PyObject *said) {
    PyObject *rest = rest_of(token), *state = Py_None, *texts = NULL, *made = NULL;
    if (rest && !token->makes && token->state && token->state != Py_None)
        state = PyObject_CallOneArg(known[N_PUBLIC], token->state);
    else Py_INCREF(state);
    if (!rest || !state) { Py_XDECREF(rest); Py_XDECREF(state); return -1; }
    Text text = {.text = text.room, .size = sizeof(text.room)};
    int done = WRITE(&text, "(") < 0 || write_data(&text, token->arguments) < 0 || WRITE(&text, ", ") < 0 ||
               write_data(&text, said) < 0 || WRITE(&text, ", ") < 0 || write_data(&text, token->after) < 0 ||
               WRITE(&text, ", ") < 0 || write_data(&text, state) < 0 || WRITE(&text, ")") < 0
               ? -1 : 0;
    if (done == 0 && !is_settled(&text)) {
        PyObject *told = PyObject_CallMethodObjArgs(rest, w_add, (PyObject *)token, NULL);
        done = told ? 0 : -1;
        Py_XDECREF(told);
    } else if (done == 0) {
        made = PyBytes_FromStringAndSize(text.text, text.used);
        if (made && text.used > (size_t)limit[L_SHORT]) Py_SETREF(made, PyObject_CallOneArg(known[N_DIGEST], made));
        texts = made ? PyObject_GetAttr(rest, w_texts) : NULL;
        done = texts ? PyList_Append(texts, made) : -1;
    }
    if (text.text != text.room) PyMem_Free(text.text);
    Py_XDECREF(made); Py_XDECREF(texts); Py_DECREF(state); Py_DECREF(rest);
    return done;
}

/* Where crossings are kept. */

typedef struct { PyObject_HEAD PyObject *open, *main; } Recorder;
static int recorder_traverse(Recorder *self, visitproc visit, void *arg) { Py_VISIT(self->open); return 0; }
static int recorder_clear(Recorder *self) { Py_CLEAR(self->open); Py_CLEAR(self->main); return 0; }
static void recorder_dealloc(Recorder *self) {
    PyObject_GC_UnTrack(self);
    recorder_clear(self);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

/* Whether a thread or a task of its own may be what crosses. */
static int is_beside(Recorder *self) {
    if (self->main && PyLong_AsUnsignedLong(self->main) != PyThread_get_thread_ident()) return 1;
    PyObject *modules = known[N_MODULES], *found;
    if (PyDict_GetItemWithError(modules, w_trio)) found = PyObject_CallNoArgs(known[N_IS_LOOPING]);
    else if (!PyDict_GetItemWithError(modules, w_asyncio)) return 0;
    else if (!running_loop) found = PyObject_CallNoArgs(known[N_IS_LOOPING]);
    else {
        if (!(found = PyObject_CallNoArgs(running_loop))) return -1;
        int is_looping = found != Py_None;
        Py_DECREF(found);
        return is_looping;
    }
    if (!found) return -1;
    int is_looping = found == Py_True;
    Py_DECREF(found);
    return is_looping;
}

/* The lane of what crosses, a new reference, or nothing for the main thread. */
static int lane_of(Recorder *self, Running *running, PyObject **lane) {
    *lane = NULL;
    int beside = is_beside(self);
    if (beside <= 0) return beside;
    PyObject *lanes = PyObject_GetAttr((PyObject *)running, w_lanes);
    *lane = lanes ? PyObject_CallMethodNoArgs(lanes, w_current) : NULL;
    Py_XDECREF(lanes);
    if (!*lane) return -1;
    if (*lane == Py_None) Py_CLEAR(*lane);
    return 0;
}

/* Which crossing at its place it is, from 1; -1 is an error. */
static Py_ssize_t seen_at(Running *running, PyObject *at, PyObject *lane) {
    PyObject *place = Py_NewRef(at), *family;
    if (lane) {
        family = PyObject_GetAttr(lane, w_family);
        Py_SETREF(place, family ? PyTuple_Pack(2, family, at) : NULL);
        Py_XDECREF(family);
        if (!place) return -1;
    }
    PyObject *counter = PyDict_GetItemWithError(running->places, place), *next = NULL;
    if (!counter && !PyErr_Occurred()) {
        PyObject *made = PyObject_CallFunction(known[N_COUNT], "i", 1);
        counter = made ? PyDict_SetDefault(running->places, place, made) : NULL;
        Py_XDECREF(made);
    }
    if (counter) next = Py_TYPE(counter)->tp_iternext(counter);
    Py_DECREF(place);
    Py_ssize_t seen = next ? PyLong_AsSsize_t(next) : -1;
    Py_XDECREF(next);
    return seen;
}

static inline int is_mutable(PyObject *thing) {
    PyTypeObject *type = Py_TYPE(thing);
    return type == &PyList_Type || type == &PyDict_Type || type == &PySet_Type || type == &PyByteArray_Type;
}

static int note(Token *token, Values *values, PyObject *name, PyObject *thing) {
    if (put(token->arguments, name, data_of(values, thing)) < 0) return -1;
    if (!is_mutable(thing) || token->kind == known[N_CALLBACK] || token->kind == known[N_YIELD]) return 0;
    if (!token->changing && !(token->changing = PyList_New(0))) return -1;
    PyObject *pair = PyTuple_Pack(2, name, thing);
    int done = pair ? PyList_Append(token->changing, pair) : -1;
    Py_XDECREF(pair);
    return done;
}

static int note_names(Token *token, Values *values, PyObject *kwargs) {
    PyObject *name, *thing;
    Py_ssize_t place = 0;
    while (PyDict_Next(kwargs, &place, &name, &thing))
        if (PyUnicode_GET_LENGTH(name) && PyUnicode_READ_CHAR(name, 0) == '$') values->odd++;
    place = 0;
    while (PyDict_Next(kwargs, &place, &name, &thing)) {
        Py_INCREF(thing);
        int done = note(token, values, name, thing);
        Py_DECREF(thing);
        if (done < 0) return -1;
    }
    return 0;
}

static int note_receiver(Token *token, Values *values, PyObject *receiver) {
    token->watched = Py_NewRef(receiver);
    if (PyType_Check(receiver)) {
        Py_SETREF(token->receiver, PyObject_GetAttr(receiver, w_qualname));
    } else if (token->is_kept) {
        Py_SETREF(token->receiver, label_of(values, receiver));
    } else { /* it has its number all the same */
        int is_new;
        PyObject *entry = entry_of(values, receiver, (PyObject *)Py_TYPE(receiver), &is_new);
        if (!entry) return -1;
        Py_DECREF(entry);
    }
    return token->receiver ? 0 : -1;
}

static Token *token_new(Running *running, PyObject *at, PyObject *kind, PyObject *operation, PyObject *lane) {
    Token *made = PyObject_GC_New(Token, &TokenType);
    if (!made) return NULL;
    memset((char *)made + sizeof(PyObject), 0, sizeof(Token) - sizeof(PyObject));
    made->running = Py_NewRef(running);
    made->at = Py_NewRef(at);
    made->kind = Py_NewRef(kind);
    made->operation = Py_NewRef(operation);
    made->receiver = Py_NewRef(w_empty);
    made->lane = Py_XNewRef(lane);
    made->order = running->orders;
    made->is_plain = made->is_kept = 1;
    made->arguments = PyDict_New();
    PyObject_GC_Track(made);
    if (made->arguments) return made;
    Py_DECREF(made);
    return NULL;
}

/* Counts one of which no more is noted. */
static PyObject *count_only(Token *token) {
    PyObject *rest = rest_of(token), *counter = rest ? PyObject_GetAttr(rest, w_counted) : NULL;
    PyObject *next = counter ? Py_TYPE(counter)->tp_iternext(counter) : NULL;
    Py_XDECREF(rest);
    Py_XDECREF(counter);
    if (!next) return NULL;
    Py_DECREF(next);
    return Py_NewRef(known[N_COUNTED]);
}

static int token_fill(Token *token, PyObject *receiver, PyObject *args, PyObject *kwargs) {
    Running *running = (Running *)token->running;
    Values *values = (Values *)running->values;
    Py_ssize_t odd = values->odd, most = PyTuple_GET_SIZE(known[N_POSITIONS]);
    if (token->is_kept && PyList_Append(running->tokens, (PyObject *)token) < 0) return -1;
    if (receiver != known[N_NOTHING] && note_receiver(token, values, receiver) < 0) return -1;
    for (Py_ssize_t i = 0; args && i < PyTuple_GET_SIZE(args) && i < most; i++)
        if (note(token, values, PyTuple_GET_ITEM(known[N_POSITIONS], i), PyTuple_GET_ITEM(args, i)) < 0) return -1;
    if (kwargs && kwargs != Py_None && note_names(token, values, kwargs) < 0) return -1;
    token->is_plain = values->odd == odd;
    return 0;
}

static PyObject *begin(Recorder *self, PyObject *at, PyObject *kind, PyObject *operation, PyObject *receiver,
                       PyObject *args, PyObject *kwargs) {
    Py_ssize_t depth_open = self->open ? PyList_GET_SIZE(self->open) : 0;
    if (!depth_open) return PyObject_CallMethod((PyObject *)self, "outside", NULL);
    Running *running = (Running *)Py_NewRef(PyList_GET_ITEM(self->open, depth_open - 1));
    PyObject *lane = NULL, *made = NULL;
    Token *token = NULL;
    if (!PyObject_TypeCheck(running, &RunningType)) { PyErr_SetString(PyExc_TypeError, "not a trace of ours"); goto out; }
    if (!running->recent && !(running->recent = PyDict_New())) goto out;
    running->orders++;
    Py_ssize_t order = running->orders;
    if (lane_of(self, running, &lane) < 0) goto out;
    Py_ssize_t seen = seen_at(running, at, lane), keep = limit[lane ? L_KEEP_BESIDE : L_KEEP];
    if (seen < 0 || !(token = token_new(running, at, kind, operation, lane))) goto out;
    token->order = order;
    if (seen > keep + limit[L_FOLD]) { made = count_only(token); goto out; }
    token->is_kept = seen <= keep;
    if (lane) {
        PyObject *turn = PyObject_GetAttr(lane, w_turn);
        token->turn = turn ? PyLong_AsSsize_t(turn) : 0;
        Py_XDECREF(turn);
        if (PyErr_Occurred()) goto out;
    }
    if (token_fill(token, receiver, args, kwargs) == 0) made = Py_NewRef(token);
out:
    Py_XDECREF(token);
    Py_XDECREF(lane);
    Py_DECREF(running);
    return made;
}

static PyObject *recorder_begin(Recorder *self, PyObject *const *args, Py_ssize_t count) {
    if (count == 6) return begin(self, args[0], args[1], args[2], args[3], args[4], args[5]);
    PyErr_SetString(PyExc_TypeError, "place, kind, operation, receiver and arguments");
    return NULL;
}

/* What a call left in its arguments, where that differs from what was there. */
static int note_changes(Token *token, Values *values) {
    PyObject *changing = token->changing, *after = PyDict_New();
    token->changing = NULL;
    for (Py_ssize_t i = 0; after && i < PyList_GET_SIZE(changing); i++) {
        PyObject *pair = PyList_GET_ITEM(changing, i), *name = PyTuple_GET_ITEM(pair, 0);
        PyObject *now = data_of(values, PyTuple_GET_ITEM(pair, 1));
        PyObject *before = now ? PyDict_GetItemWithError(token->arguments, name) : NULL;
        int same = before ? PyObject_RichCompareBool(before, now, Py_EQ) : -1;
        PyObject *told = same ? NULL : PyObject_CallFunctionObjArgs(known[N_IS_CHANGED], before, now, NULL);
        if (same < 0 || (!same && !told) || (told == Py_True && PyDict_SetItem(after, name, now) < 0)) Py_CLEAR(after);
        Py_XDECREF(told);
        Py_XDECREF(now);
    }
    Py_DECREF(changing);
    Py_XSETREF(token->after, after);
    return after ? 0 : -1;
}

/* As in observing.py. */
static PyObject *outline(PyObject *thing) {
    PyObject *held = PyObject_GenericGetAttr(thing, w_attributes), *key, *value;
    if (!held && !PyErr_ExceptionMatches(PyExc_AttributeError)) return NULL;
    PyErr_Clear();
    if (!held || !PyDict_CheckExact(held) || PyType_Check(thing)) { Py_XDECREF(held); Py_RETURN_NONE; }
    PyObject *names = PyList_New(0);
    Py_ssize_t place = 0;
    while (names && !PyList_GET_SIZE(names) && PyDict_Next(held, &place, &key, &value))
        if (PyUnicode_CheckExact(key) && !(PyUnicode_GET_LENGTH(key) && PyUnicode_READ_CHAR(key, 0) == '_') &&
            PyList_Append(names, key) < 0)
            Py_CLEAR(names);
    Py_DECREF(held);
    return tagged(w_outline, w_names, settled(names));
}

static int note_state(Token *token, PyObject *values, PyObject *value) {
    if (value == Py_None && token->watched && token->kind == known[N_CALL])
        token->state = PyObject_CallFunctionObjArgs(known[N_STATE], token->watched, values, NULL);
    else if (token->makes)
        token->state = outline(value);
    else return 0;
    return token->state ? 0 : -1;
}

static int end(Token *token, PyObject *value) {
    Running *running = (Running *)token->running;
    if (!running) return 0; /* it is over already */
    Values *values = (Values *)running->values;
    Py_ssize_t odd = values->odd;
    PyTypeObject *returned = (PyTypeObject *)known[N_RETURNED];
    PyObject *said = data_of(values, value), *outcome = said ? returned->tp_alloc(returned, 0) : NULL;
    if (!outcome) { Py_XDECREF(said); return -1; }
    *(PyObject **)((char *)settled(outcome) + returned_offset) = said;
    Py_XSETREF(token->outcome, outcome);
    if (note_state(token, (PyObject *)values, value) < 0) return -1;
    Py_CLEAR(token->watched);
    token->until = running->orders;
    if (token->changing && note_changes(token, values) < 0) return -1;
    if (values->odd != odd) token->is_plain = 0;
    if (!token->is_kept) return rest_add(token, said);
    if (!token->lane) { /* it is data from now on, and nothing more is asked of it than its row */
        Py_CLEAR(token->running);
        settled(token->arguments);
        settled((PyObject *)token);
    }
    return 0;
}

static PyObject *recorder_end(Recorder *self, PyObject *const *args, Py_ssize_t count) {
    if (count != 2) { PyErr_SetString(PyExc_TypeError, "a token and a value"); return NULL; }
    if (Py_TYPE(args[0]) == &TokenType && end((Token *)args[0], args[1]) < 0) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef recorder_methods[] = {
    {"begin", (PyCFunction)(void (*)(void))recorder_begin, METH_FASTCALL, NULL},
    {"end", (PyCFunction)(void (*)(void))recorder_end, METH_FASTCALL, NULL},
    {NULL}};
static PyMemberDef recorder_members[] = {
    {"_open", T_OBJECT_EX, offsetof(Recorder, open), 0, NULL}, {"_main", T_OBJECT, offsetof(Recorder, main), 0, NULL}, {NULL}};
static PyTypeObject RecorderType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "likewise.library.Recorder", .tp_basicsize = sizeof(Recorder),
    .tp_new = PyType_GenericNew, .tp_dealloc = (destructor)recorder_dealloc,
    .tp_traverse = (traverseproc)recorder_traverse, .tp_clear = (inquiry)recorder_clear,
    .tp_methods = recorder_methods, .tp_members = recorder_members,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE};

static PyObject *h_equip(PyObject *self, PyObject *args) { /* what is Python's, and limits, by their names */
    PyObject *things, *limits;
    if (!PyArg_ParseTuple(args, "O!O!", &PyDict_Type, &things, &PyDict_Type, &limits)) return NULL;
    for (int i = 0; i < N_SIZE; i++) {
        PyObject *thing = PyDict_GetItemString(things, N_NAMES[i]);
        if (!thing) return PyErr_Format(PyExc_KeyError, "%s", N_NAMES[i]);
        Py_XSETREF(known[i], Py_NewRef(thing));
    }
    for (int i = 0; i < L_SIZE; i++) {
        PyObject *number = PyDict_GetItemString(limits, L_NAMES[i]);
        if (!number) return PyErr_Format(PyExc_KeyError, "%s", L_NAMES[i]);
        limit[i] = PyLong_AsSsize_t(number);
    }
    PyObject *slot = PyObject_GetAttrString(known[N_RETURNED], "value");
    if (!slot) return NULL;
    returned_offset = ((PyMemberDescrObject *)slot)->d_member->offset;
    Py_DECREF(slot);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

static int add_noting(PyObject *module) {
    struct { PyTypeObject *type; const char *name; } types[] = {
        {&WeakType, NULL}, {&KeptType, NULL}, {&TokenType, NULL}, {&ValuesType, "Values"},
        {&RunningType, "Running"}, {&RecorderType, "Recorder"}};
    WeakType.tp_base = &_PyWeakref_RefType;
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        if (PyType_Ready(types[i].type) < 0) return -1;
        if (types[i].name && PyModule_AddObjectRef(module, types[i].name, (PyObject *)types[i].type) < 0) return -1;
    }
    for (size_t i = 0; i < sizeof(WORDS) / sizeof(*WORDS); i++)
        if (!(*WORDS[i].place = PyUnicode_InternFromString(WORDS[i].text))) return -1;
    return 0;
}
