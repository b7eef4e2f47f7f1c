"""s3rver: a small S3 in JavaScript; it dies on keys over 255 bytes."""

import shutil
from pathlib import Path

from likewise.cloud.targets.spec import Launch, NodePackage, Plan, Recipe, Spec

VERSION = "3.7.1"


def plan(launch: Launch) -> Plan:
    """Keep the objects in files; it knows one key pair only."""
    (port,) = launch.ports
    data = launch.directory / "data"
    data.mkdir()
    where = ("-d", str(data), "-a", "127.0.0.1", "-p", str(port))
    url = f"http://127.0.0.1:{port}"
    return Plan(
        argv=(*launch.program, *where, "--no-vhost-buckets"),
        endpoints={"s3": url, "files": str(data)},
        ready=(url,),
        access_key="S3RVER",
        secret_key="S3RVER",
    )


def wipe(plan: Plan) -> None:
    """It holds nothing in memory: what is not in its directory is not there."""
    for bucket in Path(plan.endpoints["files"]).iterdir():
        shutil.rmtree(bucket)


SPEC = Spec(
    name="s3rver",
    services=frozenset({"s3"}),
    version=VERSION,
    about="S3, the basics; verifies signatures",
    recipe=Recipe(package=NodePackage(distribution="s3rver", entry="bin/s3rver.js"), plan=plan, wipe=wipe),
)
