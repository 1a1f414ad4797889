import { createHash } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import {
  chatServer,
  chunk,
  type Reply,
  startStream,
  send,
  toolCallChunk,
} from "../providers/chat-completions-server.ts";
import { marked, markersIn } from "../support/markers.ts";
import { webhookReceiver } from "../support/webhook-receiver.ts";
import { done, listed, rejected } from "./admin.ts";
import { modelAt, newDataDir, type Service, startService } from "./service.ts";

/** A model that writes and reads a file, then answers: everything with markers of its run. An input with `wait` gets no answer. */
const model: Reply = (response, { body }) => {
  const texts = body.messages.map((message) => String((message as { content?: unknown }).content));
  const run = Number(/MARK-(\d+)-/.exec(texts.find((each) => each.includes("MARK-")) ?? "")?.[1]);
  const inputs = texts.filter((each) => each.includes("-INPUT-") || each.includes("-NEXT-")).length;
  const results = body.messages.filter((message) => (message as { role?: string }).role === "tool").length;
  startStream(response);
  if (texts.at(-1)?.includes("wait")) return;
  const callTool = (name: string, input: object): void =>
    send(
      response,
      chunk({ role: "assistant", content: marked(run, "THOUGHT") }),
      toolCallChunk(0, { id: `call-${results}`, name, arguments: JSON.stringify(input) }),
      chunk({}, { finish_reason: "tool_calls" }),
    );
  if (results === 0) callTool("write_file", { name: `MARK-${run}-WRITTENNAME-0.txt`, content: marked(run, "WRITTEN") });
  else if (results === 1) callTool("read_file", { name: `MARK-${run}-UPLOADNAME-0.txt` });
  else
    send(
      response,
      chunk({ content: marked(run, `OUTPUT${"X".repeat(inputs)}`) }),
      chunk({}, { finish_reason: "stop" }),
    );
  send(response, "[DONE]");
  response.end();
};

async function call(service: Service, method: string, path: string, body?: object, token = service.apiKey) {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json().catch(() => undefined)) as Record<string, string> };
}

const operatorToken = ({ consoleUrl }: Service): string => /ao_\w+/.exec(consoleUrl)?.[0] ?? "";

async function upload(service: Service, run: number): Promise<string> {
  const content = Buffer.from(marked(run, "UPLOAD"));
  const sha256 = createHash("sha256").update(content).digest("hex");
  const filename = `MARK-${run}-UPLOADNAME-0.txt`;
  const { body } = await call(service, "POST", "/ext/v1/uploads", { filename, size: content.length, sha256 });
  const put = { method: "PUT", headers: { authorization: `Bearer ${service.apiKey}` }, body: content };
  const sent = await fetch(`${service.baseUrl}${body["url"]}`, {
    ...put,
    headers: { ...put.headers, "content-type": "application/octet-stream" },
  });
  expect(sent.status).toBe(204);
  return body["upload_id"] ?? "";
}

/** Creates a run with two turns, the second from a queued input. Resolves with its id when it has finished. */
async function markedRun(service: Service, run: number, extraInput = ""): Promise<string> {
  const { status, body } = await call(service, "POST", "/ext/v1/runs", {
    name: `MARK-${run}-NAME-0`,
    labels: { who: `MARK-${run}-LABEL-0`, [`MARK-${run}-LABELNAME-0`]: "x" },
    input_text: `${marked(run, "INPUT")}${extraInput}`,
    files: [
      {
        filename: `MARK-${run}-INLINENAME-0.txt`,
        content_base64: Buffer.from(marked(run, "INLINE")).toString("base64"),
      },
    ],
    uploads: [await upload(service, run)],
  });
  expect(status).toBe(201);
  const id = body["id"] ?? "";
  expect((await call(service, "POST", `/ext/v1/runs/${id}/input`, { input_text: marked(run, "NEXT") })).status).toBe(
    202,
  );
  return id;
}

async function allFinished(service: Service, ids: string[]): Promise<void> {
  for (const id of ids) {
    await expect
      .poll(async () => (await call(service, "GET", `/ext/v1/runs/${id}`)).body["status"], { timeout: 60_000 })
      .toBe("finished");
  }
}

test("nothing of a deleted run is left in the data directory: 3,000 markers, each door", async () => {
  const receiver = await webhookReceiver();
  await using _receiver = { [Symbol.asyncDispose]: receiver.close };
  await using server = await chatServer(...Array.from({ length: 1_000 }, () => model));
  await using service = await startService(newDataDir(), modelAt(server.baseUrl));
  const { dataDir } = service;
  await done(dataDir, "webhook", "set", "--agent", service.templateId, "--url", receiver.url, "--private-addresses");
  const ids: string[] = [];
  for (let run = 0; run < 60; run += 10) {
    ids.push(...(await Promise.all(Array.from({ length: 10 }, (_, index) => markedRun(service, run + index)))));
  }
  await allFinished(service, ids);
  const before = markersIn(dataDir);
  expect([...before.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(3_000);
  expect(before.size).toBe(60);
  const each = before.get(1) ?? 0;

  const isGone = (run: number): void => expect(markersIn(dataDir).get(run)).toBeUndefined();
  const [kept, byCli, byPage] = [0, 1, 2].map((rest) => ids.map((_id, run) => run).filter((run) => run % 3 === rest));
  for (const run of byCli?.slice(0, 2) ?? []) {
    await done(dataDir, "run", "delete", ids[run] ?? "");
    isGone(run);
  }
  await Promise.all((byCli ?? []).map((run) => done(dataDir, "run", "delete", ids[run] ?? "")));
  byCli?.forEach(isGone);
  const token = operatorToken(service);
  await Promise.all(
    (byPage ?? []).map(async (run) => {
      const { status } = await call(service, "DELETE", `/manage/v1/runs/${ids[run]}`, undefined, token);
      expect(status).toBe(204);
    }),
  );
  const after = markersIn(dataDir);
  expect([...after.keys()].toSorted((a, b) => a - b)).toEqual(kept);
  expect([...after.values()].every((count) => count === each)).toBe(true);
  using db = new DatabaseSync(join(dataDir, "runs.sqlite"), { readOnly: true });
  expect(db.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  await allFinished(
    service,
    (kept ?? []).map((run) => ids[run] ?? ""),
  );
});

test("an upload of a deleted run is kept while another run has it", async () => {
  await using server = await chatServer(...Array.from({ length: 100 }, () => model));
  await using service = await startService(newDataDir(), modelAt(server.baseUrl));
  const [first, second] = [await markedRun(service, 1), await markedRun(service, 1)];
  await allFinished(service, [first, second]);
  const pending = (): string[] => readdirSync(join(service.dataDir, "pending-uploads"));
  await done(service.dataDir, "run", "delete", first);
  expect(pending()).toHaveLength(1);
  await done(service.dataDir, "run", "delete", second);
  expect(pending()).toEqual([]);
  expect(markersIn(service.dataDir)).toEqual(new Map());
});

test("kill -9 during a deletion: the next start continues it", async () => {
  await using server = await chatServer(...Array.from({ length: 100 }, () => model));
  const dataDir = newDataDir();
  const args = modelAt(server.baseUrl);
  let service = await startService(dataDir, args);
  const { apiKey } = service;
  const token = operatorToken(service);
  const ids = [await markedRun(service, 1), await markedRun(service, 2, "wait")]; // the second one stays running
  await allFinished(service, ids.slice(0, 1));
  using db = new DatabaseSync(join(dataDir, "runs.sqlite"), { readOnly: true });
  const texts = db.prepare("SELECT count(*) AS n FROM messages WHERE run = (SELECT seq FROM runs WHERE id = ?)");
  const statusOf = db.prepare("SELECT status FROM runs WHERE id = ?");

  const killed = async (id: string, isDue: () => boolean): Promise<void> => {
    const deleted = call(service, "DELETE", `/manage/v1/runs/${id}`, undefined, token).catch(() => {});
    await expect.poll(isDue, { interval: 1, timeout: 20_000 }).toBe(true);
    await service.end("SIGKILL");
    await deleted;
    expect(markersIn(dataDir).size).toBeGreaterThan(0);
    service = { ...(await startService(dataDir, args)), apiKey };
  };
  // While the worker of the run stops, and as soon as the texts are gone from the tables.
  await killed(ids[1] ?? "", () => statusOf.get(ids[1] ?? "")?.["status"] === "terminated");
  await expect.poll(() => markersIn(dataDir).has(2), { timeout: 30_000 }).toBe(false);
  expect(markersIn(dataDir).has(1)).toBe(true);
  await killed(ids[0] ?? "", () => Number(texts.get(ids[0] ?? "")?.["n"]) === 0).catch(() => {}); // it may have ended
  await expect.poll(() => markersIn(dataDir).size, { timeout: 30_000 }).toBe(0);
  await service.end("SIGTERM");
  rmSync(dataDir, { recursive: true });
});

test("kill -9 during the deletion of an organization: the next start deletes the rest", async () => {
  await using server = await chatServer(...Array.from({ length: 100 }, () => model));
  const dataDir = newDataDir();
  const args = modelAt(server.baseUrl);
  const first = await startService(dataDir, args);
  const { apiKey } = first;
  const [organization] = await listed<{ id: string; name: string }>(dataDir, "org", "list");
  if (!organization) throw new Error("the starter organization is missing");
  const ids = [await markedRun(first, 1), await markedRun(first, 2, "wait")];
  await allFinished(first, ids.slice(0, 1));
  const path = `/manage/v1/organizations/${organization.id}?name=${encodeURIComponent(organization.name)}`;
  const deleted = call(first, "DELETE", path, undefined, operatorToken(first)).catch(() => {});
  using db = new DatabaseSync(join(dataDir, "runs.sqlite"), { readOnly: true });
  const deleting = db.prepare("SELECT body ->> 'deleting' AS deleting FROM organizations WHERE id = ?");
  await expect.poll(() => deleting.get(organization.id)?.["deleting"] ?? null, { interval: 1 }).not.toBeNull();
  await first.end("SIGKILL");
  await deleted;
  expect(new Set(markersIn(dataDir).keys())).toEqual(new Set([1, 2]));
  const second = await startService(dataDir, args);
  await expect.poll(() => deleting.get(organization.id), { timeout: 60_000 }).toBeUndefined();
  await expect.poll(() => markersIn(dataDir), { timeout: 30_000 }).toEqual(new Map());
  expect((await call({ ...second, apiKey }, "GET", "/ext/v1/agent")).status).toBe(401);
  for (const table of ["runs", "deliveries", "configurations", "uploads", "erasures"]) {
    expect([table, db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]]).toEqual([table, 0]);
  }
  const { id } = await done(dataDir, "org", "create", "--name", "By hand");
  expect(await rejected(dataDir, "org", "delete", id, "--name", "by hand")).toContain("does not confirm the deletion");
  expect(await done(dataDir, "org", "delete", id, "--name", "By hand")).toEqual({ complete: true, runs: 0 });
  expect(await rejected(dataDir, "org", "show", id)).toContain("does not exist");
  await second.end("SIGTERM");
  rmSync(dataDir, { recursive: true });
});
