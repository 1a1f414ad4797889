from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from ._errors import InvalidArgument


@runtime_checkable
class ResultModel(Protocol):
    """A class whose instances are made from JSON, such as a model of pydantic 2."""

    def model_json_schema(self) -> dict[str, Any]: ...
    def model_validate(self, obj: Any) -> Any: ...


ResultSchema = ResultModel | Mapping[str, Any]
"""The schema of a result: a pydantic model, or a JSON Schema of an object."""


def json_schema_of(schema: ResultSchema | None) -> dict[str, Any] | None:
    """Raises `InvalidArgument` for what is no schema."""
    if schema is None:
        return None
    if isinstance(schema, ResultModel):
        return schema.model_json_schema()
    if isinstance(schema, Mapping):
        return dict(schema)
    received = type(schema).__name__
    raise InvalidArgument(f"result is a {received}; accepted: a pydantic model class, or a JSON Schema as a dict")


def parsed_result(value: Any, schema: ResultSchema | None) -> Any:
    """A result as an instance of the model. Without one, it stays JSON."""
    return schema.model_validate(value) if value is not None and isinstance(schema, ResultModel) else value
