"""dynalite: DynamoDB in JavaScript, a third voice beside moto and MiniStack."""

import json

from likewise.cloud.targets import http
from likewise.cloud.targets.spec import Launch, NodePackage, Plan, Recipe, Spec

VERSION = "4.0.0"


def plan(launch: Launch) -> Plan:
    """Tables appear and vanish at once; the delays it can imitate would only slow a suite down."""
    (port,) = launch.ports
    url = f"http://127.0.0.1:{port}"
    delays = ("--createTableMs", "0", "--deleteTableMs", "0", "--updateTableMs", "0")
    return Plan(
        argv=(*launch.program, "--host", "127.0.0.1", "--port", str(port), *delays),
        endpoints={"dynamodb": url},
        ready=(url,),
    )


def wipe(plan: Plan) -> None:
    """Delete every table; it wants an Authorization header of the right form and does not verify it."""
    while tables := _call(plan, "ListTables", {})["TableNames"]:
        for table in tables:
            _call(plan, "DeleteTable", {"TableName": table})


def _call(plan: Plan, operation: str, body: dict[str, str]) -> dict[str, list[str]]:
    scope = "Credential=testing/20200101/us-east-1/dynamodb/aws4_request"
    headers = {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": f"DynamoDB_20120810.{operation}",
        "X-Amz-Date": "20200101T000000Z",
        "Authorization": f"AWS4-HMAC-SHA256 {scope}, SignedHeaders=host, Signature=0",
    }
    # A table that is being deleted already is as good as gone.
    answer = http.must(
        "POST", f"{plan.endpoints['dynamodb']}/", body=json.dumps(body).encode(), headers=headers, also=(400,)
    )
    told: dict[str, list[str]] = json.loads(answer)
    return {"TableNames": []} | told


SPEC = Spec(
    name="dynalite",
    services=frozenset({"dynamodb"}),
    version=VERSION,
    about="DynamoDB; no transactions, streams, time-to-live or PartiQL",
    recipe=Recipe(package=NodePackage(distribution="dynalite", entry="cli.js"), plan=plan, wipe=wipe),
)
