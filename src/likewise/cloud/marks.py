"""Marks of identities and of what was asked for.

Apart from the services, which are slow to import, because every start needs them.
"""

from __future__ import annotations

from hashlib import blake2b

WRONG_SECRET = "wrong secret"
"""The identity of a call that was signed with the right key id and another secret."""
AZURITE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""The key that is everybody's: emulators have it, and their documentation prints it. It is no secret."""
ALL_FIELDS = "*"
"""Stands among the fields that were asked for where somebody can tell that there were no others."""
ALL_HEADERS = "HTTPHeaders*"
"""The same for headers."""
BY_NAME = "="
"""Stands before what was asked for by its name, where to take all there is says less."""
TOLD_ANYWAY = frozenset({"HTTPHeaders", "HTTPStatusCode", "MaxAttemptsReached"})
"""What an SDK tells of the way to an answer that counts for everybody, or asks itself of every refusal."""
DATA = frozenset(
    {
        "Attributes",
        "ExpressionAttributeNames",
        "ExpressionAttributeValues",
        "Item",
        "ItemCollectionKey",
        "ItemCollectionMetrics",
        "Items",
        "Key",
        "Keys",
        "LastEvaluatedKey",
        "Metadata",
        "Responses",
        "UnprocessedItems",
        "UnprocessedKeys",
    }
)
"""Fields with what users have in a service, by names of their own: the SDK's models call them maps."""


def key_mark(identifier: str) -> str:
    """What a wire may say of an access key's id or an account: enough to tell two apart, nothing to use."""
    return blake2b(identifier.encode(), digest_size=8).hexdigest()
