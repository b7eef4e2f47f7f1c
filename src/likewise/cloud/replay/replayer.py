"""Repeat recorded calls on the reference, one by one, and give its answers in the candidate's values."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from likewise.cloud.exchange import Exchange
from likewise.cloud.interpret import Interpreter
from likewise.cloud.replay import cleaning, names, places
from likewise.cloud.replay.binding import Binding
from likewise.cloud.replay.checksums import corrected
from likewise.cloud.replay.cleaning import Created, CreatedLog
from likewise.cloud.replay.request import (
    Endpoint,
    Request,
    candidate_host,
    moved_back,
    obstacle,
    read_endpoint,
    read_length,
    rebase_path,
    rebase_url,
    rebuild,
    region_of,
)
from likewise.cloud.replay.sending import Answer, Connections
from likewise.cloud.replay.signing import Signer, address, signer
from likewise.cloud.replay.waiting import is_on_the_way, is_under_way
from likewise.cloud.services import SERVICES
from likewise.cloud.targets import Running
from likewise.model import (
    CredentialsMissing,
    Effect,
    Interaction,
    Operation,
    Outcome,
    Raised,
    ReplayImpossible,
    Resource,
    Returned,
)
from likewise.run import Meter, Replayed, Slice

CREDENTIALS = frozenset(
    [
        "InvalidAccessKeyId",
        "SignatureDoesNotMatch",
        "ExpiredToken",
        "ExpiredTokenException",
        "InvalidToken",
        "AuthenticationFailed",
        "AuthorizationFailure",
        "InvalidAuthenticationInfo",
        "UnrecognizedClientException",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "IncompleteSignature",
        "RequestTimeTooSkewed",
    ]
)
_CONTENT = {service.name: service.content_sent for service in SERVICES}
_ARN = re.compile(r"arn:(aws[\w-]*):dynamodb:([\w-]*):(\d*):")
POLL_PAUSE = 1.0
POLL_LIMIT = 120


@dataclass(slots=True)
class _Reference:
    """One service of the reference, ready to be called."""

    running: Running
    endpoint: Endpoint
    signer: Signer


@dataclass(slots=True)
class _Pass:
    """What is known while one slice is being replayed."""

    binding: Binding
    names: names.Names
    interpreter: Interpreter
    logged: bool
    arns: dict[str, str] = field(default_factory=dict)
    """How the reference's resource names begin, by region; nothing stands for the suite's own."""
    settled: set[Resource] = field(default_factory=set)
    """What changes by itself after a write, and was seen to have done so."""

    def is_settled(self, call: Interaction) -> bool:
        """Whether what a call asks for was seen in its final state, and nobody has changed it since."""
        return all(touch.resource in self.settled for touch in call.touches)

    def follow(self, call: Interaction, answer: Answer) -> None:
        """Take note of what has settled, or begins to change again."""
        timed = {touch.resource for touch in call.touches if touch.timed}
        if any(touch.timed and touch.effect is not Effect.READ for touch in call.touches):
            self.settled -= timed
        elif answer.status < 300 and not is_on_the_way(answer.body):
            self.settled |= timed

    def forward(self, text: str) -> str:
        """A recorded value as the reference must get it."""
        moved = self.binding.forward(text)
        if self.arns and (found := _ARN.match(moved)):
            begin = self.arns.get(found[2]) or self.arns.get("", found[0])
            moved = begin + moved[found.end() :]
        return self.names.forward(moved)


class HttpReplayer:
    """Repeats slices over HTTP.

    `running` says which reference answers for which service; `environment` is the user's own, from
    before anything was routed to the candidate; `identities` are the marks (`key_mark`) of the access key
    ids, for Azure of the account names, that the suite's clients normally have: a call made with another
    one may have been made with a wrong one on purpose.
    """

    def __init__(
        self,
        *,
        running: Mapping[str, Running],
        meter: Meter,
        created: CreatedLog,
        run: str,
        environment: Mapping[str, str] | None = None,
        identities: Collection[str] | None = None,
    ) -> None:
        self._running = running
        self._meter = meter
        self._log = created
        self._run = run
        self._environment = environment
        self._identities = None if identities is None else frozenset(identities)
        self._references: dict[tuple[str, str], _Reference] = {}
        self._connections = Connections()
        self._created: dict[Created, bool] = {}
        """What may exist on a reference that cannot be reset; whether it is known to."""
        self._stuck: set[Created] = set()
        self._mentioned: list[str] = []
        self._resettable: dict[int, Running] = {}
        self._slices = 0

    def replay(self, piece: Slice) -> Replayed:
        """Repeat one slice in a fresh namespace."""
        self._check(piece)
        self._meter.require(len(piece.calls))
        before = self._meter.seconds
        state = self._fresh(piece)
        calls = tuple(self._repeat(call, state) for call in piece.calls)
        if state.logged:
            # At once, not at the end: accounts have limits on how many buckets and tables there may be.
            self._sweep()
        return Replayed(calls=calls, seconds=self._meter.seconds - before)

    def mention(self, left: str) -> None:
        """Have something that others left on the reference listed with what could not be deleted."""
        self._mentioned.append(left)

    def clean_up(self) -> tuple[str, ...]:
        """Delete what was created on the reference; what could not be deleted is listed with its command."""
        self._stuck.clear()
        left = self._sweep()
        for running in self._resettable.values():
            if running.is_alive():
                running.reset()
        self._resettable.clear()
        self._connections.close()
        return (*left, *self._mentioned)

    def _check(self, piece: Slice) -> None:
        """Refuse a slice of which any call cannot be repeated, before the first one is sent."""
        marks = {mark for call in piece.calls if (mark := call.wire.get("key"))}
        if (self._identities is not None and marks - self._identities) or (
            self._identities is None and len(marks) > 1
        ):
            raise ReplayImpossible(
                "the slice was recorded with keys other than those given to the suite",
                where=piece.test,
                why="whether they are valid on the reference only the test knows",
                todo="The whole test has to run.",
            )
        for call in piece.calls:
            service = call.operation.service
            why = obstacle(call)
            if not why and service not in self._running:
                why = f"no reference is configured for {service}"
            if why:
                raise ReplayImpossible(
                    f"{call.operation} cannot be repeated on the reference",
                    where=piece.test,
                    why=why,
                    todo="The whole test has to run.",
                )

    def _fresh(self, piece: Slice) -> _Pass:
        """Empty the references, or choose names that nobody has used on them."""
        self._slices += 1
        services = {call.operation.service for call in piece.calls}
        used = {id(self._running[service]): self._running[service] for service in services}
        targets = sorted(used.values(), key=lambda running: str(running.target))
        fixed = {id(running) for running in targets if running.real or not self._reset(running)}
        chosen = names.Names({})
        if fixed:
            salt = f"{self._run}/{self._slices}"
            kept = [call for call in piece.calls if id(self._running[call.operation.service]) in fixed]
            real = any(running.real for running in targets)
            chosen = names.fresh_names(kept, salt=salt, real=real)
        return _Pass(binding=Binding(), names=chosen, interpreter=Interpreter(), logged=bool(fixed))

    def _reset(self, running: Running) -> bool:
        if not running.reset():
            return False
        self._resettable[id(running)] = running
        return True

    def _reference(self, service: str, region: str = "") -> _Reference:
        found = self._references.get((service, region))
        if found is None:
            running = self._running[service]
            credentials = signer(service, running, self._environment)
            url = address(service, running, credentials, region=region)
            if url is None:
                raise ReplayImpossible(f"it is not known where {running.target} answers for {service}")
            found = _Reference(running=running, endpoint=read_endpoint(url), signer=credentials)
            self._references[service, region] = found
        return found

    def _repeat(self, call: Interaction, state: _Pass) -> Interaction:
        service = call.operation.service
        reference = self._reference(service, region_of(call))
        recorded = rebuild(call, reference.endpoint)
        state.binding.send(call, recorded.body)
        request = self._request(call, recorded, reference, state)
        made = self._remember(call, state, reference)
        sent, answer = self._send(request, call, reference)
        outcome = self._outcome(call, sent, answer, state)
        if is_under_way(call.outcome, outcome) and not state.is_settled(call):
            sent, answer = self._wait(request, call, reference)
            outcome = self._outcome(call, sent, answer, state)
        state.follow(call, answer)
        self._settle(made, answer, call, reference)
        self._check_credentials(call, outcome, reference)
        if service == "dynamodb" and (found := _ARN.search(answer.body.decode(errors="replace"))):
            state.arns[region_of(call)] = found[0]
        outcome = names.mapped(outcome, lambda text: moved_back(text, call, reference.endpoint))
        learned = state.binding.learn(candidate=call, reference=state.names.back(outcome))
        return replace(call, outcome=learned)

    def _request(self, call: Interaction, raw: Request, reference: _Reference, state: _Pass) -> Request:
        """The recorded request with live values in the place of recorded ones."""
        service, host = call.operation.service, candidate_host(call)
        body = raw.body
        if body and call.operation.name not in _CONTENT[service]:

            def move(url: str) -> str:
                if "://" in url:
                    return rebase_url(url, host, reference.endpoint)
                before, mark, query = url.partition("?")
                return rebase_path(service, host, before, reference.endpoint) + mark + query

            content_type = raw.headers.get("content-type", "")
            body = places.rewrite_body(
                body, content_type, state.forward, key=state.names.forward_key, move=move
            )
        request = replace(
            raw,
            path=places.rewrite_path(raw.path, state.forward),
            query=places.rewrite_query(raw.query, state.forward),
            headers=places.rewrite_headers(raw.headers, state.forward),
            body=body,
        )
        return corrected(state.names.placed(request, call), original=raw.body)

    def _send(self, request: Request, call: Interaction, reference: _Reference) -> tuple[Request, Answer]:
        anonymous = call.arguments.get("identity") == "anonymous"
        sent = request if anonymous else reference.signer.sign(request)
        return sent, self._counted(sent, call.operation)

    def _counted(self, request: Request, operation: Operation, *, must: bool = False) -> Answer:
        """Send and count; cleaning up must be done whatever the budget says."""
        attempts = 0

        def before() -> None:
            nonlocal attempts
            if attempts and not must:
                self._meter.require(1)
            attempts += 1
            self._meter.count(operation, cleaning=must)

        begin = time.perf_counter()
        try:
            return self._connections.send(request, before=before)
        finally:
            self._meter.seconds += time.perf_counter() - begin

    def _wait(self, request: Request, call: Interaction, reference: _Reference) -> tuple[Request, Answer]:
        """Ask again until a state that changes by itself is the one that the candidate showed."""
        for _ in range(POLL_LIMIT):
            time.sleep(POLL_PAUSE)
            self._meter.require(1)
            sent, answer = self._send(request, call, reference)
            if not is_on_the_way(answer.body):
                break
        return sent, answer

    def _outcome(self, call: Interaction, request: Request, answer: Answer, state: _Pass) -> Outcome:
        length = read_length(call)
        body: bytes | None = answer.body
        if length is not None:
            body = answer.body[:length] or None
        exchange = Exchange(
            method=request.method,
            url=request.url,
            headers=request.headers,
            body=request.body if request.body or "body" in call.wire else None,
            status=answer.status,
            reason=answer.reason,
            response_headers=answer.headers,
            response_body=body,
            operation_hint=call.operation.name,
            service_hint=call.operation.service,
            seen=call.seen,
            retries=answer.retries,
        )
        return state.interpreter.interpret(exchange, order=call.order).outcome

    def _remember(self, call: Interaction, state: _Pass, reference: _Reference) -> Created | None:
        """Note what a call is about to create where nothing resets it."""
        name = names.created_name(call)
        if not state.logged or not name:
            return None
        created = Created(call.operation.service, state.names.fresh_of(name), region_of(call))
        if names.creates(call) and created not in self._created:
            real = reference.running.real
            hint = cleaning.command(created, reference.endpoint, real=real)
            self._log.remember_created(self._run, str(reference.running.target), str(created), hint)
            self._created[created] = False
        return created

    def _settle(self, made: Created | None, answer: Answer, call: Interaction, reference: _Reference) -> None:
        """Note what the call really did."""
        if made is None or made not in self._created:
            return
        if answer.status < 300 and names.creates(call):
            self._created[made] = True
        elif answer.status < 300 or (names.creates(call) and not self._created[made]):
            self._forget(made)

    def _forget(self, created: Created) -> None:
        self._log.forget_created(str(self._running[created.service].target), str(created))
        del self._created[created]

    def _sweep(self) -> tuple[str, ...]:
        left = []
        for created in reversed([created for created in self._created if created not in self._stuck]):
            reference = self._reference(created.service, created.region)

            def send(request: Request, operation: Operation, reference: _Reference = reference) -> Answer:
                return self._counted(reference.signer.sign(request), operation, must=True)

            if why := cleaning.delete(created, reference.endpoint, send):
                hint = cleaning.command(created, reference.endpoint, real=reference.running.real)
                self._stuck.add(created)
                left.append(f"{created} on {reference.running.target} ({why}): {hint}")
            else:
                self._forget(created)
        return tuple(left)

    def _check_credentials(self, call: Interaction, outcome: Outcome, reference: _Reference) -> None:
        if not isinstance(call.outcome, Returned) or not isinstance(outcome, Raised):
            return
        if call.arguments.get("identity") == "anonymous":
            return
        if outcome.kind in CREDENTIALS:
            raise CredentialsMissing(
                f"{reference.running.target} did not accept the credentials",
                where=str(call.operation),
                why=f"{outcome.kind}: {outcome.message}",
                todo="They are wrong or have expired: sign in again (aws sso login, az login) or correct "
                "the keys, and check the clock. What was proved so far is kept.",
            )
