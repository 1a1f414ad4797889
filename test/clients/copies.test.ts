import { expect, test } from "vitest";
import { environment, run } from "../deploy/processes.ts";
import { python, pythonClient } from "./python.ts";
import { json, scriptedServer } from "./scripted-server.ts";

test("errors and runs of the Python client can be copied, pickled, and raised in a worker of a process pool", async () => {
  await using server = await scriptedServer();
  const agent = json(200, { id: "a", name: "Test", max_inline_bytes: 10, max_upload_bytes: 100, wait_seconds: 0 });
  const { url } = server.script(agent, json(404, { detail: "Run not found", code: "run_not_found" }));
  const args = ["-W", "error", "test/clients/copies.py", url];
  const ended = await run(await python("python"), args, { env: environment({ PYTHONPATH: pythonClient }) });
  const unpickled = "run run-1 was unpickled and has no client; read it again with client.runs.get('run-1')";
  expect(ended.stderr).toBe("");
  expect(ended.stdout.split("\n")).toEqual([
    expect.stringMatching(/^2\d classes$/),
    unpickled,
    unpickled,
    "the worker raised GET /ext/v1/runs/run-1: 404 Run not found",
    "",
  ]);
});
