"""moto: the widely used mock of AWS, as a server."""

from likewise.cloud.targets import http
from likewise.cloud.targets.spec import AWS_SERVICES, Launch, Plan, PythonPackage, Recipe, Spec

VERSION = "5.2.5"


def plan(launch: Launch) -> Plan:
    """Serve all services on one port."""
    (port,) = launch.ports
    url = f"http://127.0.0.1:{port}"
    return Plan(
        argv=(*launch.program, "-H", "127.0.0.1", "-p", str(port)),
        endpoints={"s3": url, "dynamodb": url},
        ready=(f"{url}/moto-api/",),
        grace=0,  # it has nothing to save, and would wait for clients to hang up
    )


def wipe(plan: Plan) -> None:
    """moto resets itself."""
    http.must("POST", f"{plan.endpoints['s3']}/moto-api/reset")


SPEC = Spec(
    name="moto",
    services=AWS_SERVICES,
    version=VERSION,
    about="S3 and DynamoDB; does not verify signatures",
    recipe=Recipe(
        package=PythonPackage(
            distribution="moto",
            requirements=(f"moto[server]=={VERSION}",),
            module="moto.server",
            extra="moto",
            needs=("flask", "flask_cors", "werkzeug"),
        ),
        plan=plan,
        wipe=wipe,
    ),
)
