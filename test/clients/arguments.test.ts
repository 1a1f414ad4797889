import { expect, test } from "vitest";
import { AgentRuns } from "../../clients/typescript/src/index.ts";
import { environment, run } from "../deploy/processes.ts";
import { python, pythonClient } from "./python.ts";
import { json, scriptedServer } from "./scripted-server.ts";

test("the Python client rejects arguments of the wrong kind with an error of its own", async () => {
  await using server = await scriptedServer();
  const { url, received } = server.script(json(200, { id: "a", name: "Test", max_inline_bytes: 10, wait_seconds: 0 }));
  const args = ["-W", "error", "test/clients/arguments.py", url];
  const { stdout, stderr } = await run(await python("python"), args, {
    env: environment({ PYTHONPATH: pythonClient }),
  });
  const paths = "accepted: a list of paths and (name, bytes), such as ['a.csv']";
  expect(stderr).toBe("");
  expect(stdout.trimEnd().split("\n")).toEqual([
    "idempotency_key is 4711; accepted: 1 to 255 visible ASCII characters, without spaces",
    "one of name, template_id, input_text, labels, webhook, result_schema, limits, model cannot be sent as JSON: Object of type UUID is not JSON serializable",
    `files is 'sales.csv'; ${paths}`,
    `files is PosixPath('sales.csv'); ${paths}`,
    `files is ('sales.csv', 4 bytes); ${paths}`,
    `files is a dict; ${paths}`,
    `files is 1000 bytes; ${paths}`,
    `files is None; ${paths}`,
    "files[1] is ('notes.txt', 'text'); accepted: a path, a binary file, or a tuple (name, bytes)",
    "files[0] is 9 bytes; accepted: a path, a binary file, or a tuple (name, bytes)",
    "run_id is UUID('00000000-0000-0000-0000-000000000001'); accepted: a text that is not empty",
    String.raw`name is '\udc80'; accepted: a text that is not empty`,
    "one of input_text cannot be sent as JSON: Object of type bytes is not JSON serializable",
    "an answer has one of allow, output and error; received none of them",
    "an answer has one of allow, output and error; received allow and output",
    expect.stringMatching(/^one of call, .*output, .* cannot be sent as JSON: Out of range float values are not JSON/),
  ]);
  expect(received.map(({ call }) => call)).toEqual(["GET /ext/v1/agent"]);
});

test.each([
  ["sales.csv", '"sales.csv"'],
  [{ name: "sales.csv", content: "a,b" }, "no array"],
])("the TypeScript client rejects the files %j", async (files, received) => {
  const client = new AgentRuns({ baseUrl: "http://127.0.0.1:1", apiKey: "ak_test" });
  const create = { name: "Test", files } as unknown as { name: string }; // as JavaScript can
  await expect(client.runs.create(create)).rejects.toMatchObject({
    name: "InvalidArgument",
    message: `files is ${received}; accepted: an array of paths, File objects and { name, content }`,
  });
});
