"""Prints schemas of pydantic by name, as JSON."""

import decimal
import json
import typing

import pydantic


class Amounts(pydantic.BaseModel):
    total: decimal.Decimal
    price: typing.Annotated[decimal.Decimal, pydantic.Field(max_digits=10, decimal_places=2)]
    rate: typing.Annotated[decimal.Decimal, pydantic.Field(decimal_places=4)]
    weight: typing.Annotated[decimal.Decimal, pydantic.Field(max_digits=5)]


class Node(pydantic.BaseModel):
    name: str
    children: "list[Node]" = []


models = {
    "pydantic Decimal": Amounts,
    "pydantic recursive model": Node,
    "pydantic RootModel": pydantic.RootModel[Node],
    "pydantic RootModel of a dict": pydantic.RootModel[dict[str, int]],
}
print(json.dumps({name: model.model_json_schema() for name, model in models.items()}))
