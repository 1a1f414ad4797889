import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  streams,
  chunk,
} from "../providers/chat-completions-server.ts";
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

test("uses other actions at a commit, and no expression inside of a command", () => {
  const steps = [...action.runs.steps, ...exampleSteps()];
  const uses = steps.flatMap(({ uses: name }) => name ?? []).filter((name) => !name.startsWith("OWNER/"));
  expect(uses.filter((name) => !/@[0-9a-f]{40}$/.test(name))).toEqual([]);
  expect(steps.filter(({ run = "" }) => run.includes("${{"))).toEqual([]);
});

test("the example workflow gives inputs that the action has", () => {
  const used = exampleSteps().find(({ uses = "" }) => uses.startsWith("OWNER/"));
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(used?.with ?? {})));
});

interface ExampleStep {
  uses?: string;
  run?: string;
  with?: Record<string, string>;
}

function exampleSteps(): ExampleStep[] {
  const text = readFileSync(join(root, "examples/workflows/review-report.yml"), "utf8");
  const { jobs } = parse(text) as { jobs: Record<string, { steps: ExampleStep[] }> };
  return Object.values(jobs).flatMap(({ steps }) => steps);
}
