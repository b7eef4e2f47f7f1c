"""How values that a client drew lie to each other: which of them come first is for chance to say.

A page holds the first names of all, a condition lets those through that are greater than another: such an
answer depends on the values that were drawn, and not only on which of them are the same.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Mapping
from hashlib import blake2b

from likewise.canonical.forms import GIVEN, Call, Form
from likewise.canonical.hashing import SIZE, fingerprint
from likewise.canonical.tokens import CONTENT, CURSOR, NUMBER, looks_random
from likewise.canonical.writes import Write
from likewise.model import Effect, Fingerprint, Scope

_UNORDERED = (CONTENT, CURSOR)
"""What nobody sorts by: the digest of a content, and where a list goes on."""
_Rank = tuple[bool, float, str]


def may_choose(call: Call, form: Form, names: Mapping[str, str]) -> bool:
    """Whether an answer may be chosen by the order of names that the client gave.

    Those that have such which it did not ask for are, and lists, which may come out empty.
    """
    return any(touch.effect is Effect.READ and touch.scope is Scope.SUBTREE for touch in call.touches) or any(
        names.get(token, "").startswith(GIVEN) and token not in form.variables
        for token, _ in form.answer.introduced
    )


def shows_derived(form: Form, names: Mapping[str, str]) -> bool:
    """Whether an answer has what varies from run to run and is neither a name nor generated: a count, say.

    Where the client drew nothing, that is not for its values to explain.
    """
    if not form.variables and not any(name.startswith(GIVEN) for name in names.values()):
        return False
    return any(token not in names and not looks_random(token) for token, _ in form.answer.introduced)


def ranks(writes: Iterable[Write], names: Mapping[str, str]) -> dict[str, list[str]]:
    """The values that clients gave in some writes, those of a kind in their order.

    They are of a kind if they name things at the same depth of the tree, or else name nothing.
    """
    depths: dict[str, int] = {}
    for write in writes:
        for token in write.form.variables:
            if names.get(token, "").startswith(GIVEN) and not token.startswith(_UNORDERED):
                depth = _depth(token, write)
                depths[token] = min(depth, depths.get(token, depth))
    kinds: dict[str, list[str]] = {}
    for token in sorted(depths, key=_rank):
        kinds.setdefault(f"{depths[token]:02}", []).append(token)
    return {kind: kinds[kind] for kind in sorted(kinds)}


def names_by_rank(kinds: Mapping[str, list[str]]) -> dict[str, str]:
    """Names for values by how they lie to each other."""
    listed = [token for tokens in kinds.values() for token in tokens]
    return {token: f"{GIVEN}{number:04}" for number, token in enumerate(listed)}


def among(tokens: Iterable[str], kinds: Mapping[str, list[str]]) -> str:
    """Between which of the values of each kind others lie."""
    found = [
        str(bisect(several, _rank(token), key=_rank))
        for token in tokens
        if not token.startswith(_UNORDERED)
        for several in kinds.values()
        if token not in several
    ]
    return " ".join(found)


def exactly(key: Fingerprint, form: Form, names: Mapping[str, str]) -> Fingerprint:
    """A key with the very values that the client gave."""
    given = [f"{name}={token}" for token, name in names.items() if name.startswith(GIVEN)]
    return fingerprint([key, "exactly", *sorted(given), *form.variables])


def by_rank(key: Fingerprint, times: int, among: str) -> Fingerprint:
    """The key of a call, how often it was made before and where its own values lie."""
    text = f"{key} by rank {times} {among}"
    return blake2b(text.encode(), digest_size=SIZE).hexdigest()


def as_introduced(key: Fingerprint, names: Mapping[str, str]) -> Fingerprint:
    """A key with the order in which values of all ranks came up."""
    return fingerprint([key, "as introduced", *[name for name in names.values() if name.startswith(GIVEN)]])


def _depth(token: str, write: Write) -> int:
    word = token.removeprefix(NUMBER)
    found = [depth for touch in write.touches for depth, name in enumerate(touch.resource) if word in name]
    return min(found, default=99)


def _rank(token: str) -> _Rank:
    """What a value is sorted by: numbers by what they count, texts by their letters."""
    if token[:1] == NUMBER:
        return False, float(token[1:]), ""
    return True, 0.0, token
