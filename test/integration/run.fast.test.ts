import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { fileNames } from "./admin.ts";
import { create, createRun, finished, type Service, startService } from "./service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
  return () => service[Symbol.asyncDispose]();
});

const file = (filename: string, text: string) => ({ filename, content_base64: Buffer.from(text).toString("base64") });

test("a run with two files finishes with an output that quotes them", async () => {
  const runId = await createRun(service, {
    input_text: "What do the files say?",
    files: [
      file("notes.txt", "The meeting is on Tuesday.\nBring coffee."),
      file("data.csv", "city,people\nOslo,709037\n"),
    ],
  });
  const run = await finished(service, runId);
  expect(run.agent_id).toBe(runId);
  expect(run.loop_status).toBe("finished");
  expect(run.transcript.map(({ role }) => role)).toEqual(["input_to_agent", "output_from_agent"]);
  expect(run.transcript[0]?.text).toBe("What do the files say?");
  const output = run.transcript[1]?.text ?? "";
  for (const part of ["notes.txt", "The meeting is on Tuesday.", "data.csv", "city,people", "demo"]) {
    expect(output).toContain(part);
  }
});

test("an empty input starts a turn, and no input starts none", async () => {
  for (const body of [{}, { input_text: null }]) {
    expect(await finished(service, await createRun(service, body))).toMatchObject({
      loop_status: "finished",
      transcript: [],
    });
  }
  const run = await finished(service, await createRun(service, { input_text: "" }));
  expect(run.transcript[0]).toEqual({ role: "input_to_agent", text: "" });
  expect(run.transcript).toHaveLength(2);
});

test("no poll reads `finished` without the output", async () => {
  const runs = await Promise.all(Array.from({ length: 50 }, () => createRun(service, { input_text: "quick" })));
  for (const run of await Promise.all(runs.map((id) => finished(service, id)))) expect(run.transcript).toHaveLength(2);
});

test("files with hostile names are all stored in the run's workspace", async () => {
  const names = [
    "../../../escape.txt",
    "..\\..\\escape.txt",
    "/etc/escape.txt",
    ".ssh",
    "escape.txt\u0000.png",
    "a/../b.txt",
  ];
  const runId = await createRun(service, { files: names.map((name, i) => file(name, `content ${i}`)) });
  expect(readdirSync(join(service.dataDir, "workspaces"))).toContain(runId);
  expect(await fileNames(service.dataDir, runId)).toEqual(
    ["b.txt", "escape (2).txt", "escape (3).txt", "escape.txt", "escape.txt.png", "ssh"].toSorted(),
  );
  expect(readdirSync(service.dataDir).filter((name) => name.includes("escape"))).toEqual([]);
});

test("a rejected create leaves no files", async () => {
  const before = readdirSync(join(service.dataDir, "workspaces")).length;
  const response = await create(service, {
    files: [file("good.txt", "x"), { filename: "bad.txt", content_base64: "Q" }],
  });
  expect([response.status, await response.json()]).toEqual([422, { detail: "file 'bad.txt' is not valid base64" }]);
  expect(readdirSync(join(service.dataDir, "workspaces"))).toHaveLength(before);
});
