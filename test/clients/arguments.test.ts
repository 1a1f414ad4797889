import { expect, test } from "vitest";
import { environment, run } from "../deploy/processes.ts";
import { python, pythonClient } from "./python.ts";
import { json, scriptedServer } from "./scripted-server.ts";

test("the Python client rejects arguments of the wrong kind with an error of its own", async () => {
  await using server = await scriptedServer();
  const { url, received } = server.script(json(200, { id: "a", name: "Test", max_inline_bytes: 10 }));
  const args = ["-W", "error", "test/clients/arguments.py", url];
  const { stdout, stderr } = await run(await python("python"), args, {
    env: environment({ PYTHONPATH: pythonClient }),
  });
  expect(stderr).toBe("");
  expect(stdout.trimEnd().split("\n")).toEqual([
    "idempotency_key is 4711; accepted: 1 to 255 visible ASCII characters, without spaces",
    "one of name, template_id, input_text, labels, webhook cannot be sent as JSON: Object of type UUID is not JSON serializable",
    "run_id is UUID('00000000-0000-0000-0000-000000000001'); accepted: a text that is not empty",
    String.raw`name is '\udc80'; accepted: a text that is not empty`,
    "one of input_text cannot be sent as JSON: Object of type bytes is not JSON serializable",
  ]);
  expect(received.map(({ call }) => call)).toEqual(["GET /ext/v1/agent"]);
});
