"""What problems have in common that are made of a data set."""

from functools import cached_property

from critparam.datasets.base import Dataset
from critparam.datasets.loading import DataSpec, load_dataset
from critparam.problems.base import FiniteSum


class OnData(FiniteSum):
    """A finite sum over the training rows of a data set; members have the field `data`."""

    data: DataSpec

    @cached_property
    def dataset(self) -> Dataset:
        """The data, prepared."""
        return load_dataset(self.data)

    @property
    def data_digest(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """SHA-256 of the data set."""
        return self.dataset.digest
