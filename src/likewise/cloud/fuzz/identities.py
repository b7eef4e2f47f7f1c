"""Who a call is made by: how it shows its rights, and what is wrong with that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

POLICY = "likewise"
"""What the stored policies are called that signatures name."""


class Means(StrEnum):
    """How a call shows what it may do."""

    KEY = "key"
    ANONYMOUS = "anonymous"
    PRESIGNED = "presigned URL"
    ACCOUNT_SAS = "account SAS"
    SERVICE_SAS = "service SAS"
    POLICY_SAS = "policy SAS"
    """A service SAS that says nothing but the name of a policy, which is stored with what it is for."""


class Flaw(StrEnum):
    """Why a call should be refused nevertheless."""

    NONE = ""
    WRONG_SECRET = "wrong secret"
    UNKNOWN_KEY = "unknown key"
    UNKNOWN_TOKEN = "unknown token"
    PRIVATE = "private"
    READ_ONLY = "read only"
    EXPIRED = "expired"
    EARLY = "not yet valid"
    CHANGED = "changed"
    METHOD = "other method"
    RESOURCE = "other resource"
    RIGHTS = "lacking rights"
    PROTOCOL = "other protocol"
    ADDRESS = "other address"
    REVOKED = "revoked"


_MEANS = {
    Means.KEY: "with",
    Means.ANONYMOUS: "anonymously",
    Means.PRESIGNED: "by a presigned URL",
    Means.ACCOUNT_SAS: "with an account SAS",
    Means.SERVICE_SAS: "with a service SAS",
    Means.POLICY_SAS: "with a SAS that names a stored policy",
}
_FLAWS = {
    Flaw.NONE: "",
    Flaw.WRONG_SECRET: " a wrong secret key",
    Flaw.UNKNOWN_KEY: " an access key that nobody has",
    Flaw.UNKNOWN_TOKEN: " a session token that nobody issued",
    Flaw.PRIVATE: "",
    Flaw.READ_ONLY: " where everybody may read only",
    Flaw.EXPIRED: " that has expired",
    Flaw.EARLY: " that is not yet valid",
    Flaw.CHANGED: " of which a parameter was changed",
    Flaw.METHOD: " that was made for another method",
    Flaw.RESOURCE: " that is for something else",
    Flaw.RIGHTS: " that does not permit this",
    Flaw.PROTOCOL: " that is for https only",
    Flaw.ADDRESS: " that is for another client's address",
    Flaw.REVOKED: ", which is not there",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who makes a call; no secret is in it, the side that sends the call has the account's own key.

    `rights` are the letters of what a shared access signature permits, `scope` those of what kinds of thing
    an account's is for (service, container, object), or what a service's is for: `blob`, `container`,
    `queue`, `table`.
    """

    means: Means = Means.KEY
    flaw: Flaw = Flaw.NONE
    rights: str = ""
    scope: str = ""

    def __str__(self) -> str:
        return f"{self.means}, {self.flaw}" if self.flaw else str(self.means)

    @property
    def is_owner(self) -> bool:
        """Whether these are the account's own rights, shown as usual."""
        return self.means is Means.KEY and not self.flaw

    @property
    def words(self) -> str:
        """How a call is made, in words: `anonymously`, `with an account SAS that has expired`."""
        if self == EVERYBODY:
            return "anonymously where everybody may"
        return _MEANS[self.means] + _FLAWS[self.flaw]

    def as_json(self) -> dict[str, str]:
        """The identity as logs, reports and corpora have it."""
        parts = {"means": self.means, "flaw": self.flaw, "rights": self.rights, "scope": self.scope}
        return {name: str(value) for name, value in parts.items() if value}


OWNER = Identity()
EVERYBODY = Identity(means=Means.ANONYMOUS)
"""Nobody in particular, where what is asked for is public."""
NOBODY = Identity(means=Means.ANONYMOUS, flaw=Flaw.PRIVATE)


def identity_of(data: Mapping[str, str] | None) -> Identity:
    """An identity read back; the owner where nothing is said."""
    if not data:
        return OWNER
    return Identity(
        means=Means(data["means"]),
        flaw=Flaw(data.get("flaw", "")),
        rights=data.get("rights", ""),
        scope=data.get("scope", ""),
    )
