"""Tell calls on Azure that were signed with another key than the account's, or with a token nobody here made.

What a server answers to the owner says nothing about what it answers to those.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any
from urllib.parse import unquote

from likewise.cloud.marks import AZURITE_KEY, WRONG_SECRET
from likewise.cloud.recorder.patches import Patches

_SIGNING = {
    "azure.storage.blob._shared.authentication": "sign_string",
    "azure.storage.blob._shared.shared_access_signature": "sign_string",
    "azure.storage.blob._shared_access_signature": "sign_string",
    "azure.storage.queue._shared.authentication": "sign_string",
    "azure.storage.queue._shared.shared_access_signature": "sign_string",
    "azure.storage.queue._shared_access_signature": "sign_string",
    "azure.data.tables._authentication": "_sign_string",
    "azure.data.tables._shared_access_signature": "_sign_string",
    "azure.data.tables._table_shared_access_signature": "_sign_string",
}
"""Where the SDKs sign: module → function."""
SIGNING = frozenset(_SIGNING)
ALTERED = "shared access, altered"
"""The identity of a call with a token that says something else than was signed, or is for something else."""
ELSEWHERE = "shared access, made elsewhere"
"""The identity of a call with a token that this process did not make: it may be good, old, or made up."""

_KEY = re.compile(r"(?:^|;)\s*AccountKey=([^;]+)", re.IGNORECASE)
_EMULATED = re.compile(r"(?:^|;)\s*UseDevelopmentStorage=true", re.IGNORECASE)
_STATED = ("sp", "st", "se", "sip", "spr", "sr", "si", "ss", "srt", "sv", "spk", "srk", "epk", "erk")
"""What of a token's terms is signed as it stands in the query."""
_DELEGATED = "skoid"
_MOST = 4096
"""So many tokens are remembered, the youngest."""


class Guests:
    """The signatures of this process by other keys than the environment's, and the tokens that it made.

    The account's keys are those that stood in the environment at first, and those that stand there when
    something is signed. Where it holds none (a login, a managed identity), nobody is a stranger.
    """

    def __init__(self) -> None:
        self._first = _keys(os.environ)
        self._wrong: dict[str, None] = {}
        self._tokens: dict[str, str] = {}
        """What the account's key signed that may be the terms of a token, by its signature."""

    def follow(self, module: ModuleType, patches: Patches, is_active: Callable[[], bool]) -> None:
        """Follow a module that signs."""
        is_of_requests = module.__name__.endswith("authentication")

        def make(inner: Any) -> Any:
            def sign(key: Any, string_to_sign: Any, *args: Any, **more: Any) -> Any:
                made = inner(key, string_to_sign, *args, **more)
                if is_active():
                    self._note(key, "" if is_of_requests else string_to_sign, made)
                return made

            return sign

        patches.replace(module, _SIGNING[module.__name__], make)

    def of(self, headers: Mapping[str, str], url: str) -> str:
        """What is not the owner's about who signed a request; nothing where it is, or signed by nobody."""
        signature = headers.get("authorization", "")
        if signature:
            is_wrong = self._wrong and signature.startswith("SharedKey")
            return WRONG_SECRET if is_wrong and signature.rpartition(":")[2] in self._wrong else ""
        before, _, query = url.partition("?")
        if "sig=" not in query or "sv=" not in query:
            return ""
        terms = dict(piece.partition("=")[::2] for piece in query.split("&"))
        if _DELEGATED in terms:
            return ""  # signed with a key that a server has lent to a user, whom it names
        made = unquote(terms.get("sig", ""))
        if made in self._wrong:
            return WRONG_SECRET
        signed = self._tokens.get(made)
        if signed is None:
            return ELSEWHERE if self._first or _keys(os.environ) else ""
        return "" if _states(signed, terms, before) else ALTERED

    def _note(self, key: Any, text: Any, made: str) -> None:
        own = self._first | _keys(os.environ)
        if own and key not in own:
            _remember(self._wrong, made, None)
        elif text:
            _remember(self._tokens, made, str(text))


def _remember(memory: dict[str, Any], name: str, value: Any) -> None:
    memory[name] = value
    while len(memory) > _MOST:
        memory.pop(next(iter(memory)), None)


def _keys(environment: Mapping[str, str]) -> frozenset[str]:
    """The account keys that an environment holds."""
    text = environment.get("AZURE_STORAGE_CONNECTION_STRING", "")
    found = {key.strip() for key in (*_KEY.findall(text), environment.get("AZURE_STORAGE_KEY", "")) if key}
    return frozenset(found | {AZURITE_KEY} if _EMULATED.search(text) else found)


def _states(signed: str, terms: Mapping[str, str], url: str) -> bool:
    """Whether a token's terms, and what it is used for, are what was signed."""
    lines = signed.split("\n")
    if any(unquote(terms[name]) not in lines for name in _STATED if name in terms):
        return False
    resource = next((line for line in lines if line.startswith("/")), "")
    if not resource:
        return True  # good for a whole account
    wanted = [piece for piece in resource.split("/")[3:] if piece]
    path = unquote(url.partition("://")[2].partition("/")[2]).partition("(")[0]
    found = [piece for piece in path.split("/") if piece]
    return any(
        [piece.lower() for piece in found[start : start + len(wanted)]] == [piece.lower() for piece in wanted]
        for start in (0, 1)
    )
