"""Records what FastAPI with pydantic v2 answers to the requests of test/fastapi/cases.json.

Usage, in an environment with fastapi and httpx:
    node test/fastapi/cases.ts                writes cases.json
    python test/fastapi/record.py             writes answers.json beside it
    python test/fastapi/record.py --lines     answers one case per line of stdin, one answer per line of stdout

A case is {"id", "body"} with the body as text, {"id", "base64"} with its bytes, or {"id", "path"} with a run id as it
stands in the URL; "contentType" is application/json unless given, and null sends none.
"""

import base64
import json
import platform
import sys
from pathlib import Path
from typing import Annotated
from uuid import UUID

import fastapi
import pydantic
from fastapi.encoders import jsonable_encoder
from fastapi.exceptions import RequestValidationError
from fastapi.testclient import TestClient
from pydantic import BaseModel, Field

fixtures = Path(__file__).parent


class PublicAgentFileInput(BaseModel):
    filename: Annotated[str, Field(min_length=1, max_length=255)]
    content_base64: Annotated[str, Field(min_length=1)]


class PublicCreateAgentRequest(BaseModel):
    name: Annotated[str, Field(min_length=1, max_length=200)]
    template_id: UUID
    input_text: str | None = None
    files: Annotated[list[PublicAgentFileInput], Field(max_length=10)] = []


app = fastapi.FastAPI()


@app.post("/v1/agents", status_code=201)
def create(body: PublicCreateAgentRequest):
    return {"template_id": body.template_id}


@app.get("/v1/agents/{agent_id}")
def get(agent_id: UUID):
    return {"agent_id": agent_id}


@app.exception_handler(RequestValidationError)
def in_ascii(_, error: RequestValidationError):
    """FastAPI's own answer, escaped to ASCII: as UTF-8 it could not carry the half surrogate pairs it complains of."""
    text = json.dumps({"detail": jsonable_encoder(error.errors())}, allow_nan=False)
    return fastapi.Response(text, 422, media_type="application/json")


client = TestClient(app, raise_server_exceptions=False)


def answer(case):
    if "path" in case:
        response = client.get("/v1/agents/" + case["path"])
    else:
        body = base64.b64decode(case["base64"]) if "base64" in case else case["body"].encode("utf-8", "surrogatepass")
        content_type = case.get("contentType", "application/json")
        headers = {} if content_type is None else {"content-type": content_type.encode("latin-1")}
        response = client.post("/v1/agents", content=body, headers=headers)
    is_json = response.headers.get("content-type") == "application/json"
    return {"status": response.status_code, "body": response.json() if is_json else response.text}


def versions():
    return {"python": platform.python_version(), "fastapi": fastapi.__version__, "pydantic": pydantic.VERSION}


if __name__ == "__main__":
    if "--lines" in sys.argv:
        for line in sys.stdin:
            print(json.dumps(answer(json.loads(line))), flush=True)
    else:
        cases = json.loads((fixtures / "cases.json").read_text("utf-8"))
        answers = {case["id"]: answer(case) for case in cases}
        target = fixtures / "answers.json"
        lines = ",\n".join(f"    {json.dumps(id)}: {json.dumps(value)}" for id, value in answers.items())
        target.write_text(f'{{\n  "versions": {json.dumps(versions())},\n  "answers": {{\n{lines}\n  }}\n}}\n', "utf-8")
        print(f"{len(answers)} answers of {versions()} written to {target}")
