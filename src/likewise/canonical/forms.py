"""An interaction as a template and the variables in it."""

from __future__ import annotations

from typing import NamedTuple

from likewise.canonical.familiarity import Familiarity
from likewise.canonical.requests import Requests
from likewise.canonical.responses import AnswerForm, Responses
from likewise.model import Fingerprint, Interaction, Operation
from likewise.model.tuples import maker
from likewise.model.unopened import Passing

GIVEN = "q"
"""Begins the names of variables that the client chose."""
RETURNED = "r"
"""Begins the names of variables that an answer in the context introduced."""
QUOTED = "x"
"""Begins the names of variables that an answer elsewhere introduced."""

GONE = "g"
"""Begins the names of variables that only what was removed had."""
SENT = "s"
"""Begins the names of cursors that a request sends."""

Call = Interaction | Passing


class Form(NamedTuple):
    """What of an interaction must repeat, and the variables that count only by identity."""

    operation: str
    template: Fingerprint
    variables: tuple[str, ...]
    answer: AnswerForm


_new_form = maker(Form)


def compile_form(interaction: Call, familiarity: Familiarity) -> Form:
    """The form of an interaction, given what is known to vary."""
    operation = interaction.operation
    seen = familiarity.memo.get(operation) or _begin(operation, familiarity)
    name, requests, responses = seen
    template, variables = requests.form(interaction.arguments, familiarity)
    return _new_form((name, template, variables, responses.form(interaction.outcome, familiarity)))


def _begin(operation: Operation, familiarity: Familiarity) -> tuple[str, Requests, Responses]:
    """What the calls of an operation have in common in a test, of which nothing is known so far."""
    name = str(operation)
    seen = familiarity.memo[operation] = name, Requests(name), Responses(name)
    return seen
