import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FileVersion, sha256Of } from "../../../src/agent/turn/files/manifest.ts";
import type { Schemas } from "../../../src/manage/schema-types.ts";
import { recordRedactor } from "../../../src/trials/suites/redact-record.ts";
import { compileRedactor } from "../../../src/trials/suites/redactor.ts";
import type { RunJournalEntry } from "../../../src/runs/run-types.ts";
import { type ManageService, manageService } from "../../support/manage-service.ts";
import { answered, created, numbered, onTurn, output, resulted } from "../../platform/run-fixtures.ts";

let service: ManageService;
let id: string;

const content = (text: string) => ({ size: Buffer.byteLength(text), sha256: sha256Of(Buffer.from(text)) });
const mtime = 981_173_106_123_456;
/** As a program leaves them. */
const files: FileVersion[] = [
  { name: ".env", ...content("KEY=1"), mtime, mode: 0o600 },
  { name: "a:b?.txt", ...content("same"), mtime, linked: 1 },
  { name: "empty", ...content(""), mtime, kind: "folder" },
  { name: "latest", ...content("v/2"), mtime, kind: "link" },
  { name: "other", ...content("same"), mtime, linked: 1 },
  { name: "v", ...content(""), mtime, mode: 0o700, kind: "folder" },
  { name: "v/run.sh", ...content("echo"), mtime, mode: 0o755 },
];

beforeAll(async () => {
  service = await manageService();
  const { runs, workspace, accounts } = service.platform;
  const { organizationId = "" } = (await accounts.findAgent(service.templateId)) ?? {};
  const fields = {
    id: randomUUID(),
    agentId: service.templateId,
    organizationId,
    createdAt: Date.now(),
    updatedAt: Date.now(),
  };
  const run = await created(runs, { ...fields, name: "Kept", status: "finished" });
  id = run.id;
  const texts = ["KEY=1", "same", "", "v/2", "echo"].map((text) => Buffer.from(text));
  await workspace.write(
    id,
    texts.map((each) => ({ sha256: sha256Of(each), content: each })),
  );
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const result = { ...(resulted(1, 1) as object), files, fileBytes: bytes } as RunJournalEntry;
  const asked = answered(1, 1) as RunJournalEntry & { part: "answer" };
  const toolCalls = [{ id: "c", name: "run_shell", input: { script: "make" } }];
  const called = { ...asked, answer: { ...asked.answer, toolCalls } };
  const events = numbered(1, { entries: [called, result], messages: [output(1, "Done.")] });
  await runs.change({ ...onTurn(run), set: { status: "finished", turn: 1, updatedAt: Date.now() }, ...events, files });
});

afterAll(() => service[Symbol.asyncDispose]());

async function listed(runId: string): Promise<Schemas["RunFile"][]> {
  return (await service.call<Schemas["RunFilePage"]>("GET", `/runs/${runId}/files`)).body.data;
}

test("a list shows dot files, links and empty folders, with times and permissions", async () => {
  expect((await listed(id)).map(({ name, kind, mode }) => [name, kind, mode])).toEqual([
    [".env", "file", "600"],
    ["a:b?.txt", "file", "644"],
    ["empty", "folder", "755"],
    ["latest", "link", "644"],
    ["other", "file", "644"],
    ["v/run.sh", "file", "755"],
  ]);
  expect((await listed(id))[0]?.modified_at).toBe("2001-02-03T04:05:06.123Z");
});

test("an event names the files and links that a call changed, and no folder", async () => {
  const { body } = await service.call<Schemas["EventPage"]>("GET", `/runs/${id}/events`);
  const changed = body.data.flatMap((event) => (event.type === "tool_result" ? event.files : []));
  expect(changed.map(({ name, kind = "file" }) => [name, kind])).toEqual(
    files.filter(({ kind }) => kind !== "folder").map(({ name, kind = "file" }) => [name, kind]),
  );
});

test("a bundle carries all of it", async () => {
  const headers = { authorization: `Bearer ${service.operatorToken}` };
  const exported = await fetch(`${service.baseUrl}/manage/v1/runs/${id}/export`, { headers });
  const bundle = await exported.arrayBuffer();
  const { body: agent } = await service.call<Schemas["Agent"]>("GET", `/agents/${service.templateId}`);
  const imported = await fetch(`${service.baseUrl}/manage/v1/agents/${agent.id}/runs/import`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/zip" },
    body: bundle,
  });
  const run = (await imported.json()) as Schemas["Run"];
  expect([imported.status, JSON.stringify(run)]).toEqual([201, expect.any(String)]);
  expect(await listed(run.id)).toEqual(await listed(id));
  const state = await service.platform.runs.load(run.id);
  expect(state?.files).toEqual(files);
  expect(
    Buffer.from(await (await fetch(`${service.baseUrl}/manage/v1/runs/${run.id}/export`, { headers })).arrayBuffer()),
  ).toEqual(Buffer.from(bundle));
});

test("a redaction covers the target of a link, which is its content", async () => {
  const replaced = new Map([[content("v/2").sha256, content("v/[redacted]")]]);
  const redactor = (await compileRedactor([{ text: "v/2" }]))();
  const redacted = await recordRedactor(redactor, replaced).files(files);
  expect(redacted[3]).toEqual({ name: "latest", ...content("v/[redacted]"), mtime, kind: "link" });
  expect(redacted[1]).toEqual(files[1]);
});
