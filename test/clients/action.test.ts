import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "../integration/script.ts";
import { modelAt, newDataDir, type Service, startService } from "../integration/service.ts";
import {
  answersWithResult,
  callsTool,
  chatServer,
  rejects,
  type Reply,
  scripted,
  streams,
  chunk,
} from "../providers/chat-completions-server.ts";
import { done } from "../integration/admin.ts";
import { httpServer } from "../support/http-server.ts";
import { action, checkOut, runSteps } from "./action-steps.ts";

let checkout: string;
beforeAll(() => {
  checkout = checkOut();
});

/** Runs the action once, over HTTP, with a scripted model. */
async function runAction(
  replies: Reply[],
  inputs: Record<string, string>,
  prepare: (workspace: string) => void = () => {},
) {
  await using model = await chatServer(...replies);
  await using service = await startService(newDataDir(), modelAt(model.baseUrl));
  const workspace = mkdtempSync(join(tmpdir(), "workspace-"));
  prepare(workspace);
  const all = { url: service.baseUrl, "api-key": service.apiKey, ...inputs };
  const result = await runSteps(checkout, workspace, all);
  expect(result.log).not.toContain(all["api-key"]);
  return { ...result, workspace, run: await readRun(service, result.outputs["run-id"]), model };
}

async function readRun(service: Service, id: string | undefined) {
  if (id === undefined) return undefined;
  const headers = { authorization: `Bearer ${service.apiKey}` };
  return (await (await fetch(`${service.baseUrl}/ext/v1/runs/${id}`, { headers })).json()) as Record<string, unknown>;
}

const says = (text: string): Reply =>
  streams(chunk({ role: "assistant", content: text }), chunk({}, { finish_reason: "stop" }));

test("starts a run with files, waits, and saves what the agent wrote", async () => {
  const inputs = {
    input: 'Check the totals. Do not run $(touch pwned) or `touch pwned`, "please".',
    files: "reports/*.csv\nREADME.md\n",
    labels: "commit=abc\nbranch=main=1",
    "save-files-to": "saved/files",
  };
  const { code, log, outputs, workspace, run, model } = await runAction(
    [callsTool("write_file", { name: "findings.md", content: "Row 2 is wrong.\n" }), answersWithResult],
    inputs,
    (folder) => {
      mkdirSync(join(folder, "reports"));
      for (const name of ["reports/a.csv", "reports/b.csv", "README.md"])
        writeFileSync(join(folder, name), `${name}\n`);
    },
  );
  expect({ code, log }).toEqual({ code: 0, log });
  expect(outputs).toEqual({
    "run-id": run?.["id"],
    status: "finished",
    output: expect.stringContaining("It says:") as string,
  });
  expect(run).toMatchObject({ name: "Nightly 7", labels: { commit: "abc", branch: "main=1" } });
  expect(JSON.stringify(model.received)).toContain("a.csv");
  expect(JSON.stringify(model.received[0]?.body.messages)).toContain("$(touch pwned)");
  expect(existsSync(join(workspace, "pwned"))).toBe(false);
  expect(readFileSync(join(workspace, "saved/files/findings.md"), "utf8")).toBe("Row 2 is wrong.\n");
  expect(existsSync(join(workspace, "saved/files/a.csv"))).toBe(false);
  expect(log).toContain("turn 1: model_call write_file");
});

test("an agent's text cannot be a command to GitHub", async () => {
  const text = "::add-mask::finished\n::set-env name=PATH::/tmp\nEOF\nstatus=hacked";
  const { outputs, log } = await runAction([says(text)], { input: "Hello" });
  expect(outputs).toMatchObject({ output: text, status: "finished" });
  const [, token = ""] = /^::stop-commands::(\S+)$/m.exec(log) ?? [];
  expect(log).toContain(`::stop-commands::${token}\n${text}\n::${token}::\n`);
});

describe("fails the step with an error", () => {
  test("when the run failed", async () => {
    const { code, log, outputs } = await runAction([rejects(401, "no such key")], { input: "Hello" });
    expect(code).toBe(1);
    expect(log).toMatch(/^::error title=Agent run::The run \S+ is technical_error\. .+$/m);
    expect(outputs).toMatchObject({ status: "technical_error", "run-id": expect.any(String) as string });
  });

  test.each([
    ["the key is wrong", { "api-key": "ak_wrong" }, /^::error .*Invalid API key/m],
    ["the address is missing", { url: "" }, /^::error .*'url' is empty/m],
    ["the input is empty", { input: " " }, /^::error .*'input' is empty/m],
    ["a pattern matches no file", { files: "*.csv" }, /^::error .*no file matches "\*\.csv"/m],
    ["a label has no value", { labels: "main" }, /^::error .*"main" is not KEY=VALUE/m],
    ["the time is not a number", { "timeout-minutes": "soon" }, /^::error .*'timeout-minutes' is "soon"/m],
  ])("when %s", async (_, inputs, error) => {
    const { code, log } = await runAction([], { input: "Hello", ...inputs });
    expect({ code, log }).toEqual({ code: 1, log: expect.stringMatching(error) as string });
  });

  test("when the run takes longer than the limit", async () => {
    const { code, log, outputs } = await runAction([() => {}], { input: "Hello", "timeout-minutes": "0.02" });
    expect(code).toBe(1);
    expect(outputs).toEqual({ "run-id": expect.any(String) as string });
    expect(log).toMatch(/^::error .*continues/m);
  });
});

describe("tries a draft", () => {
  /** Answers with the input, in capitals if the instructions say so. */
  const works = scripted(({ instructions, input }) => ({
    text: instructions.includes("loud") && input !== "Quiet" ? input.toUpperCase() : input,
  }));
  const definition = {
    name: "Reporter",
    instructions: "Repeat.",
    tools: [],
    limits: { steps: 3, tokens: 10_000, seconds: 60 },
    prices: { input: 1, output: 10 },
  };
  let model: Awaited<ReturnType<typeof chatServer>>;
  let service: Service;
  let github: Awaited<ReturnType<typeof commentServer>>;
  let agentId: string;
  let token: string;

  beforeAll(async () => {
    model = await chatServer(...Array.from({ length: 200 }, () => works));
    service = await startService(newDataDir(), modelAt(model.baseUrl));
    github = await commentServer();
    const { dataDir } = service;
    token = new URL(service.consoleUrl).hash.slice(1);
    const file = join(mkdtempSync(join(tmpdir(), "agent-")), "agent.json");
    writeFileSync(file, JSON.stringify(definition));
    ({ id: agentId } = await done(dataDir, "agent", "create", "--file", file));
    const runs: string[] = [];
    for (const text of ["Quiet", "Hello @everyone <b>", "Good morning"]) {
      runs.push((await done(dataDir, "run", "start", "--agent", agentId, "--text", text, "--wait")).id);
    }
    await done(dataDir, "suite", "create", agentId, "greetings");
    await done(dataDir, "suite", "add", agentId, "greetings", ...runs.flatMap((id) => ["--run", id]));
    return async () => {
      await service[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await github[Symbol.asyncDispose]();
    };
  });

  async function tries(change: object, inputs: Record<string, string> = {}) {
    const workspace = mkdtempSync(join(tmpdir(), "workspace-"));
    writeFileSync(join(workspace, "reporter.json"), JSON.stringify({ ...definition, ...change }));
    const summary = join(workspace, "summary.md");
    const all = {
      url: service.baseUrl,
      try: "reporter.json",
      "agent-id": agentId,
      "operator-token": token,
      suite: "greetings",
      budget: "1",
      control: "1",
      "fail-if": "different>0,left>0",
      "pull-request": "12",
      ...inputs,
    };
    const environment = { GITHUB_API_URL: github.url, GITHUB_REPOSITORY: "o/r", GITHUB_STEP_SUMMARY: summary };
    const result = await runSteps(checkout, workspace, all, environment);
    expect(result.log).not.toContain(token);
    expect(result.log).not.toContain("ghs_token");
    return { ...result, summary: existsSync(summary) ? readFileSync(summary, "utf8") : "" };
  }

  test("comments with the cases that differ, and fails the step", async () => {
    const { code, log, outputs, summary } = await tries({ instructions: "Repeat loud." });
    expect({ code, log }).toMatchObject({ code: 1, log: expect.stringContaining("fails: different>0: 2") as string });
    expect(outputs).toEqual({
      "trial-id": expect.stringMatching(/^trial-/) as string,
      summary: expect.stringContaining("3 tried · 1 same · 2 different · current against itself: 0 of 1") as string,
      failed: "different>0: 2",
    });
    const [comment] = github.comments;
    expect(github.comments).toHaveLength(1);
    expect(comment).toContain(summary.trim());
    expect(comment).toContain("### `reporter.json` tried on the suite `greetings`");
    expect(comment?.match(/\| different \| 1 → 1 \| \$/g)).toHaveLength(2);
    expect(comment).toContain(`${service.baseUrl}/console/trials/${outputs["trial-id"]}`);
    expect(comment).not.toMatch(/everyone|morning/i); // no text of a turn
  });

  test("replaces its comment, and passes when no condition holds", async () => {
    const { code, outputs } = await tries({});
    expect(code).toBe(0);
    expect(outputs).toMatchObject({ failed: "" });
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]).toContain("No case needs review.");
    const without = await tries({}, { "pull-request": "" });
    expect(without.code).toBe(0);
    expect(without.summary).toContain("3 tried · 3 same");
  });

  test.each([
    ["the token is missing", { "operator-token": "" }, "'operator-token' is empty"],
    ["the token is wrong", { "operator-token": "ao_wrong" }, "answered 401"],
    ["the file is missing", { try: "none.json" }, "'try': none.json cannot be read as JSON"],
    ["there is no budget", { budget: "" }, "'budget' and 'budget-tokens' are empty"],
    ["a condition is wrong", { "fail-if": "slower>0" }, "'fail-if': Expected one of"],
    ["the suite does not exist", { suite: "none" }, 'has no suite "none"'],
    ["the pull request is not a number", { "pull-request": "x" }, `'pull-request' is "x"`],
  ])("fails the step when %s", async (_, inputs, error) => {
    const { code, log } = await tries({}, inputs);
    expect({ code, log }).toEqual({ code: 1, log: expect.stringContaining(error) as string });
  });
});

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** The part of GitHub's API that writes comments on pull request 12 of `o/r`. */
async function commentServer(): Promise<AsyncDisposable & { url: string; comments: string[] }> {
  const comments: string[] = [];
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const of = "/repos/o/r/issues";
    const { method = "", url = "", headers } = request;
    const [path = ""] = url.split("?");
    if (headers.authorization !== "Bearer ghs_token") return answer(response, 403, { message: "Not accessible" });
    if (method === "GET" && path === `${of}/12/comments`) {
      return answer(
        response,
        200,
        [...comments.entries()].map(([id, body]) => ({ id, body })),
      );
    }
    const { body } = (await json(request)) as { body: string };
    const [, id] = /comments\/(\d+)$/.exec(path) ?? [];
    if (method === "POST" && path === `${of}/12/comments`) comments.push(body);
    else if (method === "PATCH" && id !== undefined) comments[Number(id)] = body;
    else return answer(response, 404, { message: "Not Found" });
    answer(response, 201, { html_url: "https://github.example/o/r/pull/12#comment" });
  }
  const server = await httpServer((request, response) => void respond(request, response));
  return { url: server.url, comments, [Symbol.asyncDispose]: () => server.close() };
}

test("uses other actions at a commit, and no expression inside of a command", () => {
  const steps = [...action.runs.steps, ...exampleSteps()];
  const uses = steps.flatMap(({ uses: name }) => name ?? []).filter((name) => !name.startsWith("OWNER/"));
  expect(uses.filter((name) => !/@[0-9a-f]{40}$/.test(name))).toEqual([]);
  expect(steps.filter(({ run = "" }) => run.includes("${{"))).toEqual([]);
});

test("the example workflows give inputs that the action has", () => {
  const used = exampleSteps().filter(({ uses = "" }) => uses.startsWith("OWNER/"));
  expect(used).toHaveLength(2);
  for (const step of used) {
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with ?? {})));
  }
});

interface ExampleStep {
  uses?: string;
  run?: string;
  with?: Record<string, string>;
}

function exampleSteps(): ExampleStep[] {
  return ["review-report.yml", "try-agent.yml"].flatMap((name) => {
    const text = readFileSync(join(root, "examples/workflows", name), "utf8");
    const { jobs } = parse(text) as { jobs: Record<string, { steps: ExampleStep[] }> };
    return Object.values(jobs).flatMap(({ steps }) => steps);
  });
}
