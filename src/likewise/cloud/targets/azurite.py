"""Azurite: Microsoft's emulator of Azure Blob, Queue and Table storage."""

from likewise.cloud.targets.empty import empty_azure
from likewise.cloud.targets.running import AZURITE_ACCOUNT
from likewise.cloud.targets.spec import AZURE_SERVICES, Launch, NodePackage, Plan, Recipe, Spec

VERSION = "3.35.0"


def plan(launch: Launch) -> Plan:
    """Three ports, state in memory; today's SDKs speak versions that it would otherwise refuse."""
    ports = dict(zip(("blob", "queue", "table"), launch.ports, strict=True))
    arguments: list[str] = []
    for service, port in ports.items():
        arguments += [f"--{service}Host", "127.0.0.1", f"--{service}Port", str(port)]
    flags = ("--silent", "--disableTelemetry", "--inMemoryPersistence", "--skipApiVersionCheck")
    urls = {service: f"http://127.0.0.1:{port}/{AZURITE_ACCOUNT}" for service, port in ports.items()}
    return Plan(argv=(*launch.program, *arguments, *flags), endpoints=urls, ready=tuple(urls.values()))


def wipe(plan: Plan) -> None:
    """Delete every container, queue and table."""
    empty_azure(plan)


SPEC = Spec(
    name="azurite",
    services=AZURE_SERVICES,
    version=VERSION,
    about="Azure Blob, Queue and Table; verifies signatures",
    recipe=Recipe(
        package=NodePackage(distribution="azurite", entry="dist/src/azurite.js"),
        plan=plan,
        wipe=wipe,
        ports=3,
        patience=90,
    ),
)
