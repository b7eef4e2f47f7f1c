"""Operations called by others than the account's owner: who they are, and what is there for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from likewise.cloud.fuzz.calls import Call
from likewise.cloud.fuzz.hints.rights import ACCOUNT, FAMILIES, KINDS, PUBLIC, RIGHTS, SERVICE, Right
from likewise.cloud.fuzz.identities import EVERYBODY, NOBODY, POLICY, Flaw, Identity, Means
from likewise.cloud.fuzz.planning.plans import Plan, Planner, is_read
from likewise.cloud.fuzz.tasks.states import Situation

BY = "by"
"""How the states of calls by others begin."""
LATE, ANYHOW, LAST = "late", "late more", "late last"
"""The same for operations that few others call: they come by turns with what is made, held or gone."""
PART = 0.06
"""The part of all calls that those by others get while there are any left."""
STRANGERS = (NOBODY, Identity(flaw=Flaw.WRONG_SECRET))
"""Those who every operation is called by."""
_KEYS = (Identity(flaw=Flaw.UNKNOWN_KEY), Identity(flaw=Flaw.UNKNOWN_TOKEN))
_PRESIGNED = (Flaw.NONE, Flaw.EXPIRED, Flaw.CHANGED, Flaw.METHOD, Flaw.RESOURCE)
_SHARED = (
    Flaw.NONE,
    Flaw.RIGHTS,
    Flaw.EXPIRED,
    Flaw.EARLY,
    Flaw.RESOURCE,
    Flaw.PROTOCOL,
    Flaw.ADDRESS,
)
_SETTERS = {
    "container": "Container_SetAccessPolicy",
    "blob": "Container_SetAccessPolicy",
    "queue": "Queue_SetAccessPolicy",
    "table": "Table_SetAccessPolicy",
}
"""What stores the policies that signatures for a kind of thing may name."""


def rounds(planner: Planner, operations: Sequence[str]) -> Iterator[tuple[str, Situation]]:
    """Calls by others, by the round in which they come: a few operations by everybody, then all of them."""
    families = [name for name in FAMILIES.get(planner.service, ()) if name in operations]
    rest = [name for name in operations if name not in families]
    for state, names, those in (
        (BY, families, _strangers),
        (f"{BY} more", families, _further),
        (f"{BY} all", rest, _strangers),
        (LATE, rest, _late),
        (ANYHOW, rest, _anyhow),
        (LAST, rest, _early),
    ):
        yield from ((state, each) for name in names for each in those(planner, name))


def targets(planner: Planner, operation: str) -> Iterator[tuple[str, str, str]]:
    """By whom an operation is called, as the triples that coverage counts."""
    known = operation in FAMILIES.get(planner.service, ())
    more = (_further,) if known else (_late, _anyhow, _early)
    those = [each for way in (_strangers, *more) for each in way(planner, operation)]
    yield from ((operation, "identity", str(each.call.identity)) for each in those)


def _strangers(planner: Planner, operation: str) -> Iterator[Situation]:
    """An operation by those who should be refused whatever they call; what everybody shares is left alone."""
    if _is_open(planner, operation):
        plan = planner.plan(operation)
        yield from (_by(plan, each) for each in STRANGERS)


def _is_open(planner: Planner, operation: str) -> bool:
    """Whether an operation may be called by anybody: it leaves no trace, and is not another's old name."""
    is_shared = operation in planner.hints.account and not is_read(operation)
    return planner.service in FAMILIES and not is_shared and not planner.grammar.operations[operation].alias


def _late(planner: Planner, operation: str) -> Iterator[Situation]:
    """An operation by those who were permitted everything, until some time ago."""
    yield from _permitted(planner, operation, Flaw.EXPIRED)


def _anyhow(planner: Planner, operation: str) -> Iterator[Situation]:
    """An operation by those who are permitted everything but this, or everything.

    Those who are to be refused come first: what they ask for leaves a set-up as it is for the next one.
    """
    for flaw in (Flaw.RIGHTS, Flaw.NONE):
        yield from _permitted(planner, operation, flaw)
    if planner.service not in RIGHTS and _is_open(planner, operation):
        plan = planner.plan(operation)
        yield from (_by(plan, each) for each in _KEYS)


def _early(planner: Planner, operation: str) -> Iterator[Situation]:
    """An operation by those who will be permitted everything: who looks at the one end looks at the other."""
    yield from _permitted(planner, operation, Flaw.EARLY)


def _permitted(planner: Planner, operation: str, flaw: Flaw) -> Iterator[Situation]:
    """An operation by whoever is permitted everything, with one thing wrong with that."""
    if not _is_open(planner, operation):
        return
    plan, service = planner.plan(operation), planner.service
    if service == "s3" and flaw in _PRESIGNED:
        yield _by(plan, Identity(means=Means.PRESIGNED, flaw=flaw))
    if service not in RIGHTS:
        return
    # Who may only look may not write, and who may only delete may not look.
    only = ("d" if is_read(operation) else "r") if flaw is Flaw.RIGHTS else ""
    yield _by(plan, Identity(means=Means.ACCOUNT_SAS, flaw=flaw, rights=only or ACCOUNT, scope=KINDS))
    scope = next((each for each in SERVICE if each in plan.call.params), "")
    if scope:
        rights = only or SERVICE[scope]
        yield _by(plan, Identity(means=Means.SERVICE_SAS, flaw=flaw, rights=rights, scope=scope))


def _further(planner: Planner, operation: str) -> Iterator[Situation]:
    """An operation by those who show their rights in another way, and where things are public."""
    plan = planner.plan(operation)
    yield from (_by(plan, each) for each in _others(planner.service, operation))
    right = RIGHTS.get(planner.service, {}).get(operation)
    if right is not None and right.service:
        yield from _policies(planner, plan, right)
    yield from _public(planner, plan)


def _by(plan: Plan, identity: Identity) -> Situation:
    return Situation(setup=plan.setup, call=replace(plan.call, identity=identity), labels={})


def _others(service: str, operation: str) -> Iterator[Identity]:
    right = RIGHTS.get(service, {}).get(operation)
    if right is not None:
        yield from (_account(right, flaw) for flaw in _SHARED)
        if right.service:
            yield from (_service(right, flaw) for flaw in _SHARED)
        return
    yield from _KEYS
    if service == "s3":
        yield from (Identity(means=Means.PRESIGNED, flaw=flaw) for flaw in _PRESIGNED)


def _account(right: Right, flaw: Flaw) -> Identity:
    return Identity(
        means=Means.ACCOUNT_SAS,
        flaw=flaw,
        rights=_without(ACCOUNT, right.account) if flaw is Flaw.RIGHTS else right.account,
        scope=_without(KINDS, right.kind) if flaw is Flaw.RESOURCE else right.kind,
    )


def _service(right: Right, flaw: Flaw) -> Identity:
    lacking = _without(SERVICE[right.scope], right.service)
    rights = lacking if flaw is Flaw.RIGHTS else right.service
    return Identity(means=Means.SERVICE_SAS, flaw=flaw, rights=rights, scope=right.scope)


def _without(letters: str, those: str) -> str:
    return "".join(letter for letter in letters if letter not in those)


def _policies(planner: Planner, plan: Plan, right: Right) -> Iterator[Situation]:
    """By a signature that names a stored policy: while that is there, and after it was taken away."""
    setter = planner.plan(_SETTERS[right.scope]).call
    policy = {
        "Id": POLICY,
        "AccessPolicy": {
            "Start": "2020-01-01T00:00:00.0000000Z",
            "Expiry": "2049-01-01T00:00:00.0000000Z",
            "Permission": right.service,
        },
    }
    store = _storing(setter, {"SignedIdentifier": [policy]})
    for flaw, calls in ((Flaw.NONE, (store,)), (Flaw.REVOKED, (store, _storing(setter, None)))):
        identity = Identity(means=Means.POLICY_SAS, flaw=flaw, scope=right.scope)
        call = replace(plan.call, identity=identity)
        yield Situation(setup=(*plan.setup, *calls), call=call, labels={})


def _storing(setter: Call, identifiers: object) -> Call:
    return replace(setter, params={**setter.params, "body": {"SignedIdentifiers": identifiers}})


def _public(planner: Planner, plan: Plan) -> Iterator[Situation]:
    """Anonymously, where something that the set-up makes was made for everybody."""
    for operation, maker, given, may in PUBLIC.get(planner.service, ()):
        if operation != plan.call.operation:
            continue
        setup = tuple(
            replace(call, params={**call.params, **given}) if call.operation == maker else call
            for call in plan.setup
        )
        if setup == plan.setup:
            setup = (*setup, planner.bound(planner.plan(maker).call, setup))
        who = EVERYBODY if may else replace(EVERYBODY, flaw=Flaw.READ_ONLY)
        yield Situation(setup=setup, call=replace(plan.call, identity=who), labels={})
