"""Recording in process, at the SDKs' own seams."""

from likewise.cloud.recorder.mock import neutralise_mock_aws
from likewise.cloud.recorder.recorder import Recorder

__all__ = ["Recorder", "neutralise_mock_aws"]
