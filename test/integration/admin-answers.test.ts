import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { main } from "../../bin/admin/main.ts";
import { scriptedModel } from "../browser/scripted-model.ts";
import { admin, done, fileText, inProcess, listed, rejected } from "./admin.ts";
import { modelAt, newDataDir, type Service, startService } from "./service.ts";

const folder = mkdtempSync(join(tmpdir(), "answers-"));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Direction marks could hide what a file is named. */
const hidden = "a\u202eb";

const model = await scriptedModel((input, step) => {
  if (step > 1) return { text: "Done." };
  const calls = {
    write: [{ name: "write_file", arguments: { name: "a.txt", content: hidden } }],
    ask: [{ name: "ask_person", arguments: { question: "Which?", choices: ["x", "y"] } }],
    stock: [{ name: "stock_of", arguments: { sku: "4711" } }],
    both: [
      { name: "ask_person", arguments: { question: "Which?" } },
      { name: "stock_of", arguments: { sku: "4712" } },
    ],
  };
  return { calls: calls[input as keyof typeof calls] };
});

const input = { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] };
const agentFile = file(
  "agent.json",
  JSON.stringify({
    name: "Asks",
    instructions: "Ask.",
    tools: ["write_file", "ask_person"],
    toolPolicy: { write_file: "ask" },
    clientTools: [{ name: "stock_of", description: "Returns the stock of a product.", input }],
    limits: { steps: 5, tokens: 1e6, seconds: 60 },
  }),
);

let service: Service;
let agent: string;
beforeAll(async () => {
  service = await startService(newDataDir(), modelAt(model.baseUrl));
  const { organization_id: organization } = await done(service.dataDir, "agent", "show", service.templateId);
  agent = (await done(service.dataDir, "agent", "create", "--org", String(organization), "--file", agentFile)).id;
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model.close();
});

interface Call {
  id: string;
  arguments: string;
}

/** Starts a run. Resolves with its id when it waits for answers. */
async function waiting(text: string, of = agent): Promise<string> {
  const { id } = await done(service.dataDir, "run", "start", "--agent", of, "--text", text);
  await expect.poll(() => openCalls(id)).not.toEqual([]);
  return id;
}

async function openCalls(id: string): Promise<Call[]> {
  return (await done(service.dataDir, "run", "show", id))["open_calls"] as Call[];
}

/** The results that the model got for its tool calls. */
async function results(id: string): Promise<unknown[]> {
  await expect.poll(async () => (await done(service.dataDir, "run", "show", id)).status).toBe("finished");
  const { events } = await done(service.dataDir, "run", "show", id);
  return (events as { type: string; text: string }[]).filter(({ type }) => type === "tool_result");
}

test("an approval shows the exact arguments, and is given with their hash by the operator", async () => {
  const { dataDir } = service;
  const id = await waiting("write");
  const shown = await admin(dataDir, "run", "show", id);
  const exact = `write_file {"name":"a.txt","content":"a\\u202eb"}`;
  const commands = [`run answer ${id} 1.1.0 --allow`, `run answer ${id} 1.1.0 --deny --reason TEXT`];
  expect(shown.stdout).toMatch(/^open calls\n {2}1\.1\.0 {2}approval, until \S+Z\n/m);
  for (const text of [exact, ...commands]) expect(shown.stdout).toContain(`\n    ${text}\n`);
  expect((await admin(dataDir, "run", "answer", id, "1.1.0")).stdout).toContain(exact);

  const { code, stdout, stderr } = await admin(dataDir, "run", "answer", id, "1.1.0", "--allow");
  expect({ code, stderr }).toEqual({ code: 0, stderr: `Answers 1.1.0 (approval): ${exact}\n` });
  expect(stdout).toMatch(/^status +running$/m);
  expect(await results(id)).toMatchObject([{ name: "write_file", is_error: false }]);
  expect(await fileText(dataDir, id, "a.txt")).toBe(hidden);
  expect(await openCalls(id)).toEqual([]);
  const [entry] = await listed<{ actor: string }>(dataDir, "audit");
  expect(entry).toMatchObject({ action: "run.answer", id });
  // The same answer again changes nothing. Another one is too late.
  await admin(dataDir, "run", "answer", id, "1.1.0", "--allow");
  expect(await rejectedAnswer(id, "--deny")).toContain(`was allowed by ${String(entry?.actor)}`);
  expect(await rejected(dataDir, "run", "answer", id, "1.1.0")).toBe("the call 1.1.0 has an answer: allow");
  const { stdout: events } = await admin(dataDir, "run", "show", id, "--events");
  expect(events).toMatch(/call asked, 1\.1\.0, approval, until \S+Z\nAnswer it: run answer \S+ 1\.1\.0 --allow/);
  expect(events).toMatch(/call answered, 1\.1\.0, allow, by operator \S+\n/);
});

/** The error of an answer that is refused after the call was shown. */
async function rejectedAnswer(id: string, ...answer: string[]): Promise<string> {
  const { code, stdout, stderr } = await admin(service.dataDir, "run", "answer", id, "1.1.0", ...answer);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  return stderr;
}

test("a denial has a reason for the model", async () => {
  const id = await waiting("write");
  const call = { id: "1.1.0", kind: "approval", name: "write_file", arguments: expect.any(String) as string };
  const denied = await done(service.dataDir, "run", "answer", id, "1.1.0", "--deny", "--reason", "Not now.");
  expect(denied).toMatchObject({ id, status: "running", answered: call });
  expect(await results(id)).toMatchObject([{ is_error: true, text: expect.stringContaining("Reason: Not now.") }]);
});

test("a question is answered with a text or from a file, and a client tool with files or an error", async () => {
  const { dataDir } = service;
  const answer = (id: string, ...args: string[]) => done(dataDir, "run", "answer", id, "1.1.0", ...args);
  const [asked, fromFile, stock, failed] = [
    await waiting("ask"),
    await waiting("ask"),
    await waiting("stock"),
    await waiting("stock"),
  ];
  await answer(asked, "--output", "y");
  await answer(fromFile, "--output-file", file("answer.txt", "Neither."));
  await answer(stock, "--output", '{"in_stock":4}', "--file", file("stock.csv", "4711,4\n"));
  await answer(failed, "--error", "The shop is closed.");
  expect(await results(asked)).toMatchObject([{ name: "ask_person", is_error: false, text: "y" }]);
  expect(await results(fromFile)).toMatchObject([{ text: "Neither." }]);
  expect(await results(stock)).toMatchObject([
    { name: "stock_of", text: expect.stringMatching(/^\{"in_stock":4\}\n/) },
  ]);
  expect(await fileText(dataDir, stock, "stock.csv")).toBe("4711,4\n");
  expect(await results(failed)).toMatchObject([{ is_error: true, text: "The shop is closed." }]);
});

test("run waiting lists the calls of all runs, and run list the runs", async () => {
  const { dataDir } = service;
  const { organization_id: organization } = await done(dataDir, "agent", "show", agent);
  const id = await waiting("both");
  const expected = [
    { id: "1.1.0", kind: "question", name: "ask_person" },
    { id: "1.1.1", kind: "client_tool", name: "stock_of", arguments: '{"sku":"4712"}' },
  ];
  const calls = async (...options: string[]) => {
    const found = await listed<{ run: { id: string }; open_calls: unknown[] }>(dataDir, "run", "waiting", ...options);
    return found.filter(({ run }) => run.id === id).flatMap(({ open_calls: open }) => open);
  };
  for (const of of [[], ["--org", String(organization)]]) expect(await calls(...of)).toMatchObject(expected);
  expect(await calls("--kind", "client_tool", "--agent", agent)).toMatchObject([expected[1]]);
  expect(await calls("--kind", "approval,question")).toMatchObject([expected[0]]);
  expect(await calls("--answerable-by", "operators")).toEqual([]);
  expect(await calls("--agent", service.templateId)).toEqual([]);
  expect(await rejected(dataDir, "run", "waiting", "--kind", "wish")).toBe(
    "--kind is \"wish\": input should be 'approval', 'client_tool' or 'question'",
  );
  const { stdout } = await admin(dataDir, "run", "waiting");
  expect(stdout).toMatch(new RegExp(`^RUN .*\\n${id} +1\\.1\\.0 +question +\\S+Z +ask_person +both\\n`));
  const waits = await listed(dataDir, "run", "list", "--agent", agent, "--status", "waiting");
  expect(waits).toMatchObject([{ id, status: "running", state: "waiting" }]);
  // The other call is still open.
  expect(await done(dataDir, "run", "answer", id, "1.1.1", "--output", "4")).toMatchObject({ status: "running" });
  expect(await openCalls(id)).toMatchObject([{ id: "1.1.0" }]);
  await done(dataDir, "run", "stop", id);
  expect((await admin(dataDir, "run", "waiting")).stdout).toBe("No calls wait for answers.\n");
  expect(await rejectedAnswer(id, "--output", "x")).toContain("terminated");
});

test("run waiting --for-operators leaves out approvals that the agent's keys may give", async () => {
  const { dataDir } = service;
  const asks = JSON.parse(readFileSync(agentFile, "utf8")) as object;
  const definition = file("keys-approve.json", JSON.stringify({ ...asks, answers: { keysApprove: true } }));
  const { organization_id: organization } = await done(dataDir, "agent", "show", agent);
  const other = (await done(dataDir, "agent", "create", "--org", String(organization), "--file", definition)).id;
  const runs = [await waiting("write"), await waiting("write", other)];
  const ids = async (...options: string[]) =>
    (await listed<{ run: { id: string } }>(dataDir, "run", "waiting", ...options)).map(({ run }) => run.id);
  expect((await ids("--kind", "approval")).toSorted()).toEqual(runs.toSorted());
  expect(await ids("--answerable-by", "operators")).toEqual([runs[0]]);
  for (const run of runs) await done(dataDir, "run", "stop", run);
});

test("run start --wait says how to answer, and continues with the answer", async () => {
  const { dataDir } = service;
  const start = ["run", "start", "--agent", agent, "--text", "ask", "--wait", "--data-dir", dataDir];
  const waits = inProcess(main, start, true);
  const rows = () => listed<{ run: { id: string } }>(dataDir, "run", "waiting");
  await expect.poll(async () => (await rows()).length).toBe(1);
  const run = (await rows())[0]?.run.id ?? "";
  await done(dataDir, "run", "answer", run, "1.1.0", "--output", "x");
  const { code, stdout, stderr } = await waits;
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
  expect(stderr).toMatch(
    new RegExp(
      `call 1\\.1\\.0 waits for an answer \\(question\\) until \\S+\\nAnswer it: run answer ${run} 1\\.1\\.0 --output`,
    ),
  );
  expect(stderr).toContain("call 1.1.0 answered: output\n");
});

test("refuses an answer of the wrong kind, unknown calls, and options that do not belong together", async () => {
  const { dataDir } = service;
  const id = await waiting("ask");
  expect(await rejectedAnswer(id, "--allow")).toContain("(question) is answered with an output or an error");
  const cases: [string, ...string[]][] = [
    ["--allow and --output cannot be used together", "1.1.0", "--allow", "--output", "x"],
    ["--reason needs --deny", "1.1.0", "--output", "x", "--reason", "x"],
    ["--file needs --output", "1.1.0", "--error", "x", "--file", agentFile],
    ["--output-file /nowhere does not exist", "1.1.0", "--output-file", "/nowhere"],
    ["has not asked for an answer to call 1.1.7 in its turn; it waits for answers to 1.1.0", "1.1.7", "--output", "x"],
  ];
  for (const [problem, ...args] of cases)
    expect(await rejected(dataDir, "run", "answer", id, ...args)).toContain(problem);
  expect(await rejected(dataDir, "run", "answer", "x", "1.1.0")).toContain("(see run list --agent ID)");
  await done(dataDir, "run", "delete", id);
});
