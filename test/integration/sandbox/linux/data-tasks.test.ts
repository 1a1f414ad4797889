import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answersWithResult, callsTool, chatServer, type Reply } from "../../../providers/chat-completions-server.ts";
import { done } from "../../admin.ts";
import { type Caller, finished, modelAt, newDataDir, type Service, startService } from "../../service.ts";
import { type DataTask, dataTasks, refusedTasks } from "./data/tasks.ts";
import { openEngine, reasonToSkip } from "./engine.ts";

const generator = readFileSync(new URL("data/generate.py", import.meta.url), "utf8");

/** Puts a file into the service. Resolves with the id of the upload. */
async function upload(service: Caller, filename: string, content: Buffer): Promise<string> {
  const authorization = `Bearer ${service.apiKey}`;
  const sha256 = createHash("sha256").update(content).digest("hex");
  const announced = await fetch(`${service.baseUrl}/ext/v1/uploads`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ filename, size: content.length, sha256 }),
  });
  const { upload_id, url, method, headers } = (await announced.json()) as Record<
    "upload_id" | "url" | "method",
    string
  > & {
    headers?: Record<string, string>;
  };
  const put = await fetch(new URL(url, service.baseUrl), {
    method: method ?? "PUT",
    headers: { authorization, ...headers },
    body: new Uint8Array(content),
  });
  if (!put.ok) throw new Error(`PUT answered ${put.status}: ${await put.text()}`);
  return upload_id;
}

/** Size of the tasks' files: 1 is up to 30 MB. */
const scale = 0.2;
const seconds = 120;

// Each task is answered with a program of a scripted model, from the upload to the transcript.
const engine = await openEngine();
const contents = new Map<string, Buffer>();
let results: Record<string, string> = {};
let libraries: string[] = [];
let service: Service;
let agent: Caller;
const replies: Reply[] = [];
const model = await chatServer(
  ...Array.from(
    { length: 4 * (dataTasks.length + refusedTasks.length) },
    (_, number): Reply =>
      (response, received) =>
        replies[number]?.(response, received),
  ),
);

async function answer({ files, tool, program }: DataTask): Promise<string> {
  const input = tool === "run_shell" ? { script: program, seconds } : { code: program, seconds };
  replies.push(callsTool(tool, input), answersWithResult);
  const uploads = await Promise.all(files.map((name) => upload(agent, name, contents.get(name) ?? Buffer.alloc(0))));
  const created = await fetch(`${agent.baseUrl}/ext/v1/runs`, {
    method: "POST",
    headers: { authorization: `Bearer ${agent.apiKey}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "task", input_text: "Answer.", uploads }),
  });
  const { id } = (await created.json()) as { id: string };
  const status = await finished(agent, id);
  expect(status.loop_status).toBe("finished");
  return status.transcript.at(-1)?.text ?? "";
}

describe.skipIf("unavailable" in engine)(`data tasks in a Linux${reasonToSkip(engine)}`, { timeout: 120_000 }, () => {
  beforeAll(async () => {
    if ("unavailable" in engine) return;
    const text = `scale = ${scale}\n${generator}`;
    const made = await engine.run({ language: "python", text, seconds: 300 });
    if (made.problem !== undefined) throw new Error(`${made.problem}\n${made.output}`);
    for (const file of made.changed) {
      contents.set(file.name, readFileSync(join(engine.folder, "run", engine.contentName(file))));
    }
    const truth = contents.get("expected.json")?.toString() ?? "";
    ({ expected: results, present: libraries } = JSON.parse(truth) as {
      expected: Record<string, string>;
      present: string[];
    });
    service = await startService(newDataDir(), [...modelAt(model.baseUrl), "--sandbox", "bubblewrap"]);
    const file = join(service.dataDir, "agent.json");
    const tools = ["run_shell", "run_python"];
    writeFileSync(file, JSON.stringify({ name: "Analyst", instructions: "Answer.", tools }));
    const { id } = await done(service.dataDir, "agent", "create", "--file", file);
    const { key: api_key } = await done(service.dataDir, "key", "create", "--agent", id);
    agent = { baseUrl: service.baseUrl, apiKey: api_key, templateId: id };
  }, 300_000);

  afterAll(async () => {
    await service?.[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    if ("close" in engine) engine.close();
  });

  it.each(dataTasks)("$tool is right about $title", async (task) => {
    if (task.needs !== undefined && !libraries.includes(task.needs)) return; // the machine's own Python has no libraries
    const text = await answer(task);
    expect(text).toContain(results[task.result]);
    expect(text).not.toMatch(/exit code|stopped/);
  });

  it.each(refusedTasks)("$tool fails clearly with $title", async (task) => {
    expect(await answer(task)).toMatch(/exit code|ended with/);
  });
});
