"""Recording in process, at the SDKs' own seams."""

from likewise.cloud.recorder.mock import neutralise_mock_aws
from likewise.cloud.recorder.recorder import Recorder
from likewise.cloud.recorder.routes import Routes

__all__ = ["Recorder", "Routes", "neutralise_mock_aws"]
