"""The shape of an experiment file: its keys, their types and defaults."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field

from critparam.cell import Engine
from critparam.simulate import Precision
from critparam_experiments.validation import STRICT


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("must be printable text on one line")
    return text


Section = dict[str, Any]
Text = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_printable)]
Count = Annotated[int, Field(ge=1, le=10**9)]


class Scalars(BaseModel):
    """Settings of the engines that are single values."""

    model_config = STRICT

    precision: Precision = "float32"
    replicates: Count = 32
    max_steps: Count = 100_000
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0


class EngineChoice(BaseModel):
    """An engine and its share of a sweep: every k-th point from the last back, and the first."""

    model_config = STRICT

    kind: Engine
    every: Count = 1


class PanelModel(BaseModel):
    """One panel: a sweep over sizes for each of some series. Any section may be overridden."""

    model_config = STRICT

    name: Text
    sweep: Section
    series: Section | list[Section] = Field(default_factory=dict)
    problem: Section | None = None
    noise: Section | None = None
    delay: Section | None = None
    method: Section | None = None
    target: Section | None = None
    learning_rate: Section | None = None
    engine: Engine | list[Engine | EngineChoice] | None = None
    precision: Precision | None = None
    replicates: Count | None = None
    max_steps: Count | None = None
    seed: Annotated[int, Field(ge=0, lt=2**32)] | None = None


class ExperimentModel(Scalars):
    """An experiment file: what is run, drawn and claimed."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
    title: Text | None = None
    claim: str = ""
    problem: Section | None = None
    noise: Section | None = None
    delay: Section = Field(default_factory=lambda: {"kind": "constant"})
    method: Section = Field(default_factory=lambda: {"kind": "sgd"})
    target: Section | None = None
    learning_rate: Section = Field(default_factory=lambda: {"tune": True})
    engine: Engine | list[Engine | EngineChoice] | None = None
    panels: Annotated[list[PanelModel], Field(min_length=1)]
    figure: Section = Field(default_factory=lambda: {"kind": "speedup"})
    claims: list[Section] = Field(default_factory=list)
