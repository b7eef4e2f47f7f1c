"""Seeded differences, in numbered groups: what a fuzzer should find that does not know them."""

from __future__ import annotations

from seeds.authorisation import AUTHORISATION
from seeds.aws import AWS
from seeds.azure import AZURE
from seeds.eighteen_aws import EIGHTEEN_AWS
from seeds.eighteen_azure import EIGHTEEN_AZURE
from seeds.eleven_aws import ELEVEN_AWS
from seeds.eleven_azure import ELEVEN_AZURE
from seeds.fourteen_aws import FOURTEEN_AWS
from seeds.fourteen_azure import FOURTEEN_AZURE
from seeds.further import FURTHER
from seeds.more import MORE
from seeds.seed import SEEDS, Seed
from seeds.seventeen_aws import SEVENTEEN_AWS
from seeds.seventeen_azure import SEVENTEEN_AZURE
from seeds.sixteen_aws import SIXTEEN_AWS
from seeds.sixteen_azure import SIXTEEN_AZURE
from seeds.thirteen_aws import THIRTEEN_AWS
from seeds.thirteen_azure import THIRTEEN_AZURE
from seeds.twelve_aws import TWELVE_AWS
from seeds.twelve_azure import TWELVE_AZURE
from seeds.unseen import UNSEEN

__all__ = ["ALL", "Seed"]

_BY_NUMBER = (
    *(*ELEVEN_AWS, *ELEVEN_AZURE),
    *(*TWELVE_AWS, *TWELVE_AZURE),
    *(*THIRTEEN_AWS, *THIRTEEN_AZURE),
    *(*FOURTEEN_AWS, *FOURTEEN_AZURE),
    *(*SIXTEEN_AWS, *SIXTEEN_AZURE),
    *(*SEVENTEEN_AWS, *SEVENTEEN_AZURE),
    *(*EIGHTEEN_AWS, *EIGHTEEN_AZURE),
)
ALL = (*SEEDS, *MORE, *FURTHER, *UNSEEN, *AWS, *AZURE, *_BY_NUMBER, *AUTHORISATION)
