"""Turns dataclasses into JSON and back, by the types of their fields. `field_types` lets the store build its own codec
the same way. A codec is a table from shapes to functions: it never lists fields, so a new field is defined once. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from enum import Enum, StrEnum, auto
from functools import cache
from types import NoneType, UnionType
from typing import Any, NamedTuple, NewType, Union, assert_never, get_args, get_origin

Convert = Callable[[Any], Any]


class Shape(Enum):
    """The kinds of values that a record may have. Every codec has a case for each: mypy reports one that is missing."""

    TEXT = auto()
    NUMBER = auto()
    WHOLE_NUMBER = auto()
    FLAG = auto()
    TIME = auto()
    CHOICE = auto()  # a member of a StrEnum
    PARSED = auto()  # a class with `parse(text)`, such as Scope; written with `str`
    RECORD = auto()  # a dataclass
    OBJECT = auto()  # JSON that is kept as it is


_SHAPES = {
    str: Shape.TEXT,
    float: Shape.NUMBER,
    int: Shape.WHOLE_NUMBER,
    bool: Shape.FLAG,
    datetime: Shape.TIME,
    dict: Shape.OBJECT,
}


class FieldType(NamedTuple):
    name: str
    kind: Any  # the type of the value, or of each value in a list; an id counts as a text
    is_list: bool
    is_optional: bool  # it may be None
    default: Any  # MISSING: the field is required

    @property
    def shape(self) -> Shape:
        """Raise TypeError for a type that no codec can write: at import, where the codecs are built."""
        is_one_type = isinstance(self.kind, type) and not (self.is_list and self.is_optional)
        if is_one_type:
            if self.kind in _SHAPES:
                return _SHAPES[self.kind]
            if issubclass(self.kind, StrEnum):
                return Shape.CHOICE
            if hasattr(self.kind, "parse"):
                return Shape.PARSED
            if is_dataclass(self.kind):
                return Shape.RECORD
        raise TypeError(f"The field {self.name!r} has a type that cannot be stored: {self.kind!r}.")


def field_types(record: Any, order: tuple[str, ...] = ()) -> list[FieldType]:
    """Return the fields of a dataclass: first those named in `order`, then the others as they are defined."""
    places = {name: place for place, name in enumerate(order)}
    return sorted(_defined(record), key=lambda one: places.get(one.name, len(order)))


@cache  # several codecs ask for the same records, at every start of a command
def _defined(record: Any) -> list[FieldType]:
    found = []
    for one in fields(record):
        default = one.default if one.default_factory is MISSING else one.default_factory()
        found.append(FieldType(one.name, *_resolve(one.type), default))
    return found


def _resolve(annotation: Any) -> tuple[Any, bool, bool]:
    """Return the type, whether there is a list of it, and whether it may be None."""
    is_optional = is_list = False
    if get_origin(annotation) in (Union, UnionType):
        others = [one for one in get_args(annotation) if one is not NoneType]
        if len(others) == 1:  # a union of more types has no shape
            annotation, is_optional = others[0], True
    if get_origin(annotation) is tuple and get_args(annotation)[1:] == (...,):
        annotation, is_list = get_args(annotation)[0], True
    if isinstance(annotation, NewType):
        annotation = annotation.__supertype__
    return get_origin(annotation) or annotation, is_list, is_optional


def json_encoder(record: Any, names: Iterable[str] = ()) -> Callable[[Any], dict[str, Any]]:
    """Return a function from a record to a JSON object with these fields, in this order; without names with all."""
    types = {one.name: one for one in _defined(record)}
    encoders = [(name, _value_encoder(types[name])) for name in names or types]

    def encode(value: Any) -> dict[str, Any]:
        encoded = {}
        for name, convert in encoders:
            part = getattr(value, name)
            encoded[name] = part if part is None or convert is None else convert(part)
        return encoded

    return encode


def json_decoder(record: Any, names: Iterable[str] = ()) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Return a function from a JSON object that `json_encoder` wrote to the arguments of the record. A field that an
    older version did not write is left out."""
    types = {one.name: one for one in _defined(record)}
    decoders = [(name, _value_decoder(types[name])) for name in names or types]

    def decode(given: Mapping[str, Any]) -> dict[str, Any]:
        decoded = {}
        for name, convert in decoders:
            if name in given:
                part = given[name]
                decoded[name] = part if part is None or convert is None else convert(part)
        return decoded

    return decode


def _value_encoder(field_type: FieldType) -> Convert | None:
    encode = _json_forms(field_type)[0]
    if not field_type.is_list:
        return encode
    return list if encode is None else lambda values: list(map(encode, values))


def _value_decoder(field_type: FieldType) -> Convert | None:
    decode = _json_forms(field_type)[1]
    if not field_type.is_list:
        return decode
    return tuple if decode is None else lambda values: tuple(map(decode, values))


def _json_forms(field_type: FieldType) -> tuple[Convert | None, Convert | None]:
    """Return how one value is written and read. None: it stays as it is."""
    match field_type.shape:
        case Shape.TEXT | Shape.NUMBER | Shape.WHOLE_NUMBER | Shape.FLAG | Shape.OBJECT:
            return None, None
        case Shape.TIME:
            return datetime.isoformat, datetime.fromisoformat
        case Shape.CHOICE:
            return str, field_type.kind
        case Shape.PARSED:
            return str, field_type.kind.parse
        case Shape.RECORD:
            record, arguments = field_type.kind, json_decoder(field_type.kind)
            return json_encoder(record), lambda given: record(**arguments(given))
        case _ as never:
            assert_never(never)
