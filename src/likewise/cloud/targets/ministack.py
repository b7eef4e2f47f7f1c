"""MiniStack: AWS services in code of its own, independent of moto."""

from likewise.cloud.targets import http
from likewise.cloud.targets.spec import AWS_SERVICES, Launch, Plan, PythonPackage, Recipe, Spec

VERSION = "1.5.33"


def plan(launch: Launch) -> Plan:
    """Serve all services on one port; without BIND_HOST it would listen on every interface.

    Its broker for devices and its SFTP server would do so anyway, where they find the packages they need.
    """
    (port,) = launch.ports
    url = f"http://127.0.0.1:{port}"
    return Plan(
        argv=launch.program,
        environment={
            "GATEWAY_PORT": str(port),
            "BIND_HOST": "127.0.0.1",
            "MINISTACK_HOST": "127.0.0.1",
            "IOT_MTLS_ENABLED": "0",
            "SFTP_ENABLED": "0",
            "TMPDIR": str(launch.directory),
        },
        endpoints={"s3": url, "dynamodb": url},
        ready=(f"{url}/_ministack/health",),
        grace=0,  # it has nothing to save, and would wait for clients to hang up
    )


def wipe(plan: Plan) -> None:
    """MiniStack resets itself."""
    http.must("POST", f"{plan.endpoints['s3']}/_ministack/reset")


SPEC = Spec(
    name="ministack",
    services=AWS_SERVICES,
    version=VERSION,
    about="S3 and DynamoDB; does not verify signatures",
    recipe=Recipe(
        package=PythonPackage(
            distribution="ministack",
            requirements=(f"ministack=={VERSION}",),
            module="ministack",
            extra="ministack",
        ),
        plan=plan,
        wipe=wipe,
    ),
)
