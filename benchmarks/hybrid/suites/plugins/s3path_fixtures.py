"""The two fixtures that s3path's tests ask for and its source package leaves out."""

import boto3
import pytest


@pytest.fixture
def s3_mock():
    """S3 as moto has it, empty for each test, and a path root that uses it."""
    from moto import mock_aws
    from s3path import PureS3Path, register_configuration_parameter

    with mock_aws():
        register_configuration_parameter(PureS3Path("/"), resource=boto3.resource("s3"))
        yield


@pytest.fixture
def reset_configuration_cache():
    """No test inherits what another has configured."""
    from s3path import S3Path

    configuration = S3Path._accessor.configuration_map
    configuration.is_setup = False
    configuration.get_configuration.cache_clear()
    yield
    configuration.is_setup = False
    configuration.get_configuration.cache_clear()
