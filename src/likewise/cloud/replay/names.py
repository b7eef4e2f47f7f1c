"""Fresh names for what a slice creates, so that it never meets what is there already."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator
from hashlib import blake2b

from likewise.cloud.regions import without_region
from likewise.cloud.replay import short
from likewise.cloud.replay.binding import texts
from likewise.cloud.replay.places import Rewrite
from likewise.cloud.replay.request import Request
from likewise.cloud.targets.spec import AWS_SERVICES
from likewise.model import Interaction, Raised, ReplayImpossible, Resource, Returned, Value
from likewise.model.interaction import Outcome

CREATES = {
    "s3": "CreateBucket",
    "dynamodb": "CreateTable",
    "blob": "Container_Create",
    "queue": "Queue_Create",
    "table": "Table_Create",
}
"""The operation of each service that makes a top-level resource."""

DELETES = {
    "s3": "DeleteBucket",
    "dynamodb": "DeleteTable",
    "blob": "Container_Delete",
    "queue": "Queue_Delete",
    "table": "Table_Delete",
}

LEAST = 8
"""Letters and digits that a name must have to be made fresh by changing them; a shorter one gets more."""
MOST = 12

# Whether a name is valid may depend on these: they stay.
_RESERVED = re.compile(
    r"^(?P<head>xn--|sthree-|amzn-s3-demo-)?(?P<middle>.*?)"
    r"(?P<tail>-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3|-\d{12}-[a-z0-9-]+-an)?$",
    re.DOTALL,
)
_WORD = re.compile(r"[\w.-]+")
_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+")
_CLASSES = (string.ascii_lowercase, string.ascii_uppercase, string.digits)


def fresh_name(name: str, salt: str) -> str:
    """A name of the same length and of the same kind of characters that nobody has used."""
    found = _RESERVED.match(name)
    assert found is not None
    head, middle, tail = found["head"] or "", found["middle"], found["tail"] or ""
    places = [place for place, letter in enumerate(middle) if letter in string.ascii_letters + string.digits]
    if len(places) < LEAST or _ADDRESS.fullmatch(name) or name.startswith("$"):
        raise ReplayImpossible(
            f"{name!r} cannot be given a fresh name of the same form",
            why=f"it has fewer than {LEAST} letters and digits to change, or is a name with a meaning",
            todo="The whole test has to run.",
        )
    # Names that differ in case only still do: to some services they are the same.
    noise = blake2b(f"{salt}\0{name.lower()}".encode(), digest_size=MOST).digest()
    letters = list(middle)
    for place, byte in zip(places[-MOST:], noise, strict=False):
        kind = next(kind for kind in _CLASSES if letters[place] in kind)
        letters[place] = kind[byte % len(kind)]
    return head + "".join(letters) + tail


def created_name(call: Interaction) -> str:
    """The top-level resource that a call asks to be made or deleted, or nothing."""
    service = call.operation.service
    if call.operation.name not in (CREATES.get(service), DELETES.get(service)):
        return ""
    listed = call.arguments.get("resource")
    if isinstance(listed, list) and listed and isinstance(listed[0], str):
        return listed[0]
    body = call.arguments.get("body")
    name = body.get("TableName") if isinstance(body, dict) else None
    return name if isinstance(name, str) else ""


def creates(call: Interaction) -> bool:
    """Whether a call asks for a new top-level resource."""
    return call.operation.name == CREATES.get(call.operation.service)


def deletes(call: Interaction) -> bool:
    """Whether a call asks for the end of a top-level resource."""
    return call.operation.name == DELETES.get(call.operation.service)


def top_names(call: Interaction) -> Iterator[str]:
    """The top-level resources that a call touches; nothing stands for the account as a whole."""
    for touch in call.touches:
        yield _top(touch.resource)
    listed = call.arguments.get("resource")
    if not call.touches and isinstance(listed, list) and listed:
        yield str(listed[0])


def _top(resource: Resource) -> str:
    resource = without_region(resource)
    below = resource[1:] if resource[0] in AWS_SERVICES else resource[2:]
    if below and below[0].startswith("?"):
        below = below[1:]
    return below[0] if below else ""


class Names:
    """The fresh names of one slice, both ways."""

    def __init__(self, fresh: dict[str, str]) -> None:
        self.fresh = fresh
        self._short = {old: new for old, new in fresh.items() if len(new) != len(old)}
        self._forward = _Replacement({old: new for old, new in fresh.items() if old not in self._short})
        self._back = _Replacement({new: old for old, new in fresh.items()})

    def forward(self, text: str) -> str:
        """A text of the candidate's with fresh names in it."""
        return self._forward.text(text)

    def forward_key(self, key: str) -> str:
        """A key of a mapping, which is a name only if it is nothing else."""
        return self._forward.key(key)

    def fresh_of(self, name: str) -> str:
        """What something is called on the reference."""
        return self.fresh.get(name, name)

    def placed(self, request: Request, call: Interaction) -> Request:
        """A request with fresh names in the place of those that are too short to be found by their text."""
        if not self._short:
            return request
        named = short.placed(request, call, self._short)
        if named == request and not self._short.keys().isdisjoint(top_names(call)):
            raise ReplayImpossible(
                f"{call.operation} does not show where it names what it touches",
                todo="The whole test has to run.",
            )
        return named

    def back(self, outcome: Outcome) -> Outcome:
        """An outcome with the candidate's names."""
        return mapped(outcome, self._back.text, self._back.key) if self.fresh else outcome


class _Replacement:
    def __init__(self, names: dict[str, str]) -> None:
        self._names = names
        # Azure's tables keep the case of their names but are found by any.
        self._folded = {name.lower(): new for name, new in names.items()}
        longest = sorted(names, key=len, reverse=True)
        pattern = "|".join(map(re.escape, longest))
        self._pattern = re.compile(rf"(?<![\w.-])(?:{pattern})(?![\w-]|\.\w)", re.IGNORECASE)

    def text(self, text: str) -> str:
        if not self._names:
            return text
        return self._pattern.sub(lambda found: self._name(found[0]), text)

    def key(self, key: str) -> str:
        return self._names.get(key, key)

    def _name(self, name: str) -> str:
        if name in self._names:
            return self._names[name]
        # A name in another case is another name to some servers: it stays one.
        return "".join(
            new.upper() if old.isupper() else new.lower() if old.islower() else new
            for old, new in zip(name, self._folded[name.lower()], strict=False)
        )


def mapped(outcome: Outcome, text: Rewrite, key: Rewrite = str) -> Outcome:
    """An outcome with its texts and keys rewritten; what kind of error it is stays."""
    match outcome:
        case Returned():
            return Returned(value=_mapped(outcome.value, text, key))
        case Raised():
            value = _mapped(outcome.value, text, key)
            return Raised(kind=outcome.kind, message=text(outcome.message), value=value)
    return outcome


def _mapped(value: Value, text: Rewrite, key: Rewrite) -> Value:
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict):
        return {key(name): _mapped(inner, text, key) for name, inner in value.items()}
    return [_mapped(inner, text, key) for inner in value] if isinstance(value, list) else value


def _renewed(name: str, salt: str) -> str:
    found = _RESERVED.match(name)
    assert found is not None
    is_plain = not found["head"] and not found["tail"] and not _ADDRESS.fullmatch(name) and name[:1] != "$"
    few = sum(letter in string.ascii_letters + string.digits for letter in name) < LEAST
    return (is_plain and few and short.lengthened(name, salt)) or fresh_name(name, salt)


def fresh_names(calls: Iterable[Interaction], *, salt: str, real: bool) -> Names:
    """Names for everything that the calls touch; on a real cloud they may touch only what they make."""
    listed = list(calls)
    made = _made_fresh(listed, salt=salt, real=real)
    for call in listed:
        if "" in top_names(call) and (part := _part_of(made, call)):
            raise ReplayImpossible(
                f"{call.operation} lists what begins with {part!r}",
                why="fresh names begin otherwise",
                todo="The whole test has to run.",
            )
    brief = [name for name, new in made.items() if len(new) != len(name)]
    for call in listed if brief else ():
        if why := short.obstacle(call, brief, lists="" in top_names(call)):
            raise ReplayImpossible(
                f"{call.operation} may speak of {' or '.join(map(repr, brief))}, or use the word otherwise",
                why=why,
                todo="The whole test has to run.",
            )
    return Names(made)


def _part_of(names: Iterable[str], call: Interaction) -> str:
    """What a call says that is the beginning of a name and not all of it."""
    said = {key: value for key, value in call.arguments.items() if key != "resource"}
    words = {word for text in texts(said) for word in _WORD.findall(text)}
    return next(
        (word for word in sorted(words) for name in names if name.startswith(word) and name != word), ""
    )


def _made_fresh(listed: list[Interaction], *, salt: str, real: bool) -> dict[str, str]:
    made: dict[str, str] = {}
    exact: dict[str, str] = {}
    for call in listed:
        if creates(call) and (name := created_name(call)):
            made.setdefault(name, _renewed(name, salt))
            exact[name.lower()] = name
    for call in listed:
        for name in top_names(call):
            if name in made or name.lower() in exact:
                continue
            if real or (not name and call.is_write):
                raise ReplayImpossible(
                    f"{call.operation} touches {name or 'the whole account'}, which is not the slice's own",
                    why="nothing of the user's is changed, and on a real cloud nothing of it is touched",
                    todo="The whole test has to run.",
                )
            if name:
                made[name] = _renewed(name, salt)
    return made
