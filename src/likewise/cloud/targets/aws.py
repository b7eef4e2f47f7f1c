"""The real AWS, with the user's own credentials."""

from __future__ import annotations

import os

from likewise.cloud.targets.running import AWS_ENDPOINTS, Running
from likewise.cloud.targets.spec import AWS_SERVICES, Spec
from likewise.model import CredentialsMissing, Role, Target, TargetUnavailable

SPEC = Spec(name="aws", services=AWS_SERVICES, real=True, about="the real AWS; every call is paid for")


class Aws(Running):
    """AWS itself: nothing is started, stopped or reset."""

    real = True

    def __init__(self, *, role: Role) -> None:
        self.target = Target(name="aws", role=role)

    def endpoint(self, service: str) -> str | None:
        """None: the SDK knows."""
        return None

    def environment(self) -> dict[str, str]:
        """Nothing: the user's own credentials and region stay as they are."""
        return {}

    def cleared(self) -> frozenset[str]:
        """Endpoints, which would send the calls to an emulator."""
        return frozenset(AWS_ENDPOINTS)

    def is_alive(self) -> bool:
        """AWS is taken to be up; the first call will tell."""
        return True

    def check(self) -> None:
        """Make sure that there are credentials, without a call that is paid for.

        Credentials that have to be fetched first (single sign-on, an assumed role) are fetched.
        """
        try:
            import botocore.exceptions
            import botocore.session
        except ImportError as error:
            raise TargetUnavailable(
                "AWS cannot be called",
                why="botocore is not installed",
                todo="Install it: pip install 'likewise[aws]'",
            ) from error
        profile = os.environ.get("AWS_PROFILE") or os.environ.get("AWS_DEFAULT_PROFILE")
        where = f"profile {profile}" if profile else "the default credential chain"
        try:
            credentials = botocore.session.Session().get_credentials()
            if credentials is not None:
                credentials.get_frozen_credentials()
                return
        except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError) as error:
            raise CredentialsMissing(
                "the AWS credentials cannot be used",
                where=where,
                why=str(error),
                todo="Sign in again (aws sso login, aws configure), or name another profile in AWS_PROFILE.",
            ) from error
        raise CredentialsMissing(
            "there are no AWS credentials",
            where=where,
            why="neither the environment, nor ~/.aws, nor the machine's role has any",
            todo="Run: aws configure; or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        )
