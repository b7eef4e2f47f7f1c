"""Stands in for the docker package where a suite would start Azurite in a container: it runs already."""

import sys
import types


class _Container:
    def stop(self, *args, **kwargs):
        """The server is stopped by whoever started it."""


class _Containers:
    def run(self, *args, **kwargs):
        return _Container()


class _Client:
    containers = _Containers()


docker = types.ModuleType("docker")
docker.from_env = _Client
sys.modules.setdefault("docker", docker)
