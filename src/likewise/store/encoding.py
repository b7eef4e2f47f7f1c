"""The nouns as JSON bytes and back; the only module that knows the library that does it.

Equal nouns have equal bytes where `ordered`, so that the hash of the bytes can be an id.
"""

from __future__ import annotations

import hashlib
import sys
from typing import TYPE_CHECKING, Any, TypeVar

IS_SHARED = "msgspec" in sys.modules
"""Whether somebody else in this process had that library first."""

import msgspec  # noqa: E402 - only before its import can be told who had it first

from likewise.store.values import Undecodable, escape, unescape  # noqa: E402

if TYPE_CHECKING:
    from likewise.model import Fingerprint

T = TypeVar("T")
Raw = dict[str, Any]
"""An object as JSON has it, before anything is known about it."""
Unread = msgspec.Raw
"""The bytes of a value that nobody has looked into yet."""


class Loose(msgspec.Struct):
    """Takes the fields that it knows from among others."""


class Small(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """Small on disk, and refuses fields it does not know."""


_encoder = msgspec.json.Encoder()
_ordered = msgspec.json.Encoder(order="deterministic")
_untyped = msgspec.json.Decoder()
_decoders: dict[type, msgspec.json.Decoder[Any]] = {}

ESCAPED = b'{"escaped":'


def identify(content: bytes) -> Fingerprint:
    """The id of a piece of content: equal content has the same id wherever it was written."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def encode(noun: object, *, ordered: bool = False) -> bytes:
    """A noun that holds no `Value` as JSON; `ordered` makes equal content equal bytes."""
    encoder = _ordered if ordered else _encoder
    try:
        return encoder.encode(noun)
    except UnicodeEncodeError:
        return encoder.encode({"escaped": escape(msgspec.to_builtins(noun))})


def decode(kind: type[T], content: bytes) -> T:
    """What `encode` made of a noun of this kind; raises Undecodable."""
    if content.startswith(ESCAPED):
        return convert(kind, decode_raw(content))
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind)
    try:
        noun: T = decoder.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Undecodable(str(error)) from error
    return noun


def decode_json(content: bytes) -> Any:
    """JSON of anybody's as it stands; raises Undecodable."""
    try:
        return _untyped.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Undecodable(str(error)) from error


def decode_raw(content: bytes) -> Raw:
    """A JSON object as it stands, for formats whose version is not known yet; raises Undecodable."""
    raw = decode_json(content)
    if isinstance(raw, dict) and raw.keys() == {"escaped"}:
        raw = unescape(raw["escaped"])
    if not isinstance(raw, dict):
        raise Undecodable(f"Expected an object, got {type(raw).__name__}")
    return raw


def convert(kind: type[T], raw: Raw) -> T:
    """A raw object as a noun of this kind; raises Undecodable."""
    try:
        return msgspec.convert(raw, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise Undecodable(str(error)) from error
