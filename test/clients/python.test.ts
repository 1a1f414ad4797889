import { expect, test } from "vitest";
import { run } from "../deploy/processes.ts";
import { python, pythonClient } from "./python.ts";

test.for([
  ["is formatted", "ruff", "format", "--check"],
  ["follows the rules of the linter", "ruff", "check"],
  ["has types that agree", "mypy", "--config-file", `${pythonClient}/pyproject.toml`],
])("the Python client %s", async ([, program = "", ...args]) => {
  const { status, stdout, stderr } = await run(await python(program), [...args, `${pythonClient}/agent_runs`]);
  expect({ status, stdout, stderr }).toMatchObject({ status: 0 });
});
