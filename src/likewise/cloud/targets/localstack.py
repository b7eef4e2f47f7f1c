"""LocalStack: its S3, from the last version that runs without a token."""

from likewise.cloud.targets.empty import empty_s3
from likewise.cloud.targets.spec import Launch, Plan, PythonPackage, Recipe, Spec

VERSION = "4.13.1"


def plan(launch: Launch) -> Plan:
    """Serve S3 only, and keep everything else, events and downloads, switched off."""
    (port,) = launch.ports
    url = f"http://127.0.0.1:{port}"
    return Plan(
        argv=launch.program,
        environment={
            "SERVICES": "s3",
            "EAGER_SERVICE_LOADING": "1",
            "DISABLE_EVENTS": "1",
            "SKIP_SSL_CERT_DOWNLOAD": "1",
            "DNS_ADDRESS": "0",
            "GATEWAY_LISTEN": f"127.0.0.1:{port}",
            "GATEWAY_SERVER": "hypercorn",  # the default one listens on every interface all the same
            "LOCALSTACK_VOLUME_DIR": str(launch.directory / "volume"),
            "TMPDIR": str(launch.directory),
        },
        endpoints={"s3": url},
        ready=(f"{url}/_localstack/health",),
        grace=0.2,
    )


def wipe(plan: Plan) -> None:
    """There is no reset in this edition: every bucket is emptied and deleted. Signatures are not verified."""
    empty_s3(plan)


SPEC = Spec(
    name="localstack",
    services=frozenset({"s3"}),
    version=VERSION,
    about="S3; does not verify signatures",
    recipe=Recipe(
        package=PythonPackage(
            distribution="localstack-core",
            # It does not bound these two, and does not start with what came after.
            requirements=(
                f"localstack-core[base-runtime]=={VERSION}",
                "cbor2<6",
                "pyopenssl<26",
                "service-identity",
            ),
            module="localstack.runtime.main",
        ),
        plan=plan,
        wipe=wipe,
        patience=120,
    ),
)
