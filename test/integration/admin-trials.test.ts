import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { main } from "../../bin/admin/main.ts";
import { chatServer, scripted } from "../providers/chat-completions-server.ts";
import { admin, done, listed, rejected } from "./admin.ts";
import type { ProcessResult } from "./script.ts";
import { modelAt, newDataDir, type Service, startService } from "./service.ts";

/**
 * Writes the input to a file and answers with it; in capitals if the instructions say so. Fetches a page, or never answers, if they
 * say so. As a judge, prefers the answer in capitals.
 */
const works = scripted(({ instructions, input, results }) => {
  if (instructions.startsWith("Prefer")) {
    const better = /--- ANSWER A \w+\nDone: [A-Z]{2}/.test(input) ? "A" : "B";
    return { text: JSON.stringify({ reason: `It is ${better}.`, better }) };
  }
  const text = instructions.includes("loud") ? input.toUpperCase() : input;
  if (instructions.includes("nothing")) return undefined;
  if (results.length > 0) return { text: `Done: ${text}` };
  if (instructions.includes("fetch")) return { calls: [["web_fetch", { url: "https://example.com/" }]] };
  return { calls: [["write_file", { name: "report.txt", content: text }]] };
});

const definition = {
  name: "Reporter",
  instructions: "Write reports.",
  tools: ["write_file", "web_fetch"],
  limits: { steps: 10, tokens: 100_000, seconds: 60 },
  prices: { input: 1, output: 10 },
};

describe("trials on the command line", () => {
  let service: Service;
  let agent: string;
  let directory: string;
  const runs: string[] = [];

  beforeAll(async () => {
    const model = await chatServer(...Array.from({ length: 300 }, () => works));
    service = await startService(newDataDir(), modelAt(model.baseUrl));
    directory = mkdtempSync(join(tmpdir(), "drafts-"));
    agent = (await done(service.dataDir, "agent", "create", "--file", file("agent.json", definition))).id;
    for (const number of [1, 2, 3]) {
      const start = ["run", "start", "--agent", agent, "--text", `Report ${number}`, "--wait", "--json"];
      const { stdout } = await admin(service.dataDir, ...start);
      runs.push((JSON.parse(stdout) as { id: string }).id);
    }
    return async () => {
      await service[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true });
    };
  });

  function file(name: string, content: unknown): string {
    const path = join(directory, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  }

  const draft = (change: object = {}): string => file("draft.json", { ...definition, ...change });

  /** `agent try` of a draft with `--yes`. */
  function tried(change: object, ...args: string[]): Promise<ProcessResult> {
    const budget = args.some((each) => each.startsWith("--budget")) ? [] : ["--budget", "1"];
    return admin(service.dataDir, "agent", "try", agent, "--file", draft(change), "--yes", ...budget, ...args);
  }

  const refused = (...args: string[]) => rejected(service.dataDir, "agent", "try", agent, ...args);

  /** `agent try` at a terminal where a person answers the question. */
  async function asked(answer: string): Promise<ProcessResult & { shown: string[] }> {
    const printed = { stdout: "", stderr: "" };
    const shown: string[] = [];
    const args = ["agent", "try", agent, "--file", draft(), "--budget", "1", "--data-dir", service.dataDir];
    const code = await main(args, {
      out: (text) => void (printed.stdout += `${text}\n`),
      err: (text) => void (printed.stderr += `${text}\n`),
      write: async () => {},
      isTerminal: true,
      errIsTerminal: true,
      ask: async (question) => {
        printed.stderr += question;
        return answer;
      },
      show: (line) => void shown.push(line),
    });
    return { code, ...printed, shown };
  }

  test("an unchanged draft repeats each turn, with the estimate before and the verdicts after", async () => {
    const { code, stdout, stderr } = await tried({}, "--control", "2");
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Trial trial-\S+: a draft on recorded turns of Reporter\n {2}3 cases, and 2 of them with/);
    expect(stderr).toMatch(/expected: \$0\.\d+ to \$0\.\d+, [\d,]+ to [\d,]+ tokens; budget: \$1\.00/);
    expect(stderr).toMatch(/sends to 127\.0\.0\.1:\d+: 3 inputs and 0 files\n/);
    expect(stdout).toContain("3 tried · 3 same · current against itself: 0 of 2 differ · $");
    expect(stdout).toContain("No case needs review.");
  });

  test("a changed draft is listed case by case, and each case shows both turns", async () => {
    const { code, stdout } = await tried({ instructions: "Write loud reports." }, "--last", "2");
    expect(code).toBe(0);
    expect(stdout).toContain("2 tried · 2 different");
    expect(stdout).toMatch(new RegExp(`1 +different +2 → 2 .* ${runs[2]} +1 +the output differs; report.txt changed`));
    const [first] = await listed<{ id: string }>(service.dataDir, "trial", "list", agent);
    expect(first).toMatchObject({ status: "finished", cases: 2, summary: expect.stringContaining("2 different") });
    const id = first?.id ?? "";
    const shown = await admin(service.dataDir, "trial", "show", id, "--case", "1");
    expect(shown.stdout).toContain("recorded output:\n    Done: Report 3\n");
    expect(shown.stdout).toContain("candidate output:\n    Done: REPORT 3\n");
    expect(shown.stdout).toContain(`- step 1  write_file {"name":"report.txt","content":"Report 3"}`);
    expect(shown.stdout).toContain(`+ step 1  write_file {"name":"report.txt","content":"REPORT 3"}`);
    expect(await rejected(service.dataDir, "trial", "show", id, "--case", "3")).toContain("its cases are 1 to 2");
    expect(await done(service.dataDir, "trial", "delete", id)).toEqual({ trial_id: id });
    expect(await rejected(service.dataDir, "trial", "show", id)).toContain("does not exist (see trial list AGENT)");
  });

  test("--fail-if decides the exit code, and --json prints the trial with all cases", async () => {
    const change = { instructions: "Use fetch." };
    const failing = await tried(change, "--fail-if", "left>2,different>0", "--json");
    expect(failing.code).toBe(1);
    expect(failing.stderr).toMatch(/^admin: --fail-if holds: left>2: 3 \(see trial show trial-\S+\)\n$/);
    const { trial, cases, failed } = JSON.parse(failing.stdout) as Record<"trial" | "cases" | "failed", unknown>;
    expect(trial).toMatchObject({ agent_id: agent, status: "finished", summary: { verdicts: { left_record: 3 } } });
    expect(cases).toMatchObject([1, 2, 3].map((number) => ({ number, verdict: "left_record" })));
    expect(failed).toEqual(["left>2: 3"]);
    const passing = await tried(change, "--fail-if", "left>3", "--json");
    expect(passing).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(passing.stdout)).toMatchObject({ failed: [] });
  });

  test("a rule answers calls that are not in the record", async () => {
    const change = { instructions: "Use fetch." };
    const { stdout } = await tried(change, "--run", `${runs[0]}.1`, "--tool-miss", "web_fetch=text:A page.");
    expect(stdout).toContain("1 tried · 1 different");
    expect(stdout).toContain("web_fetch answered by the rule fixed");
  });

  test("assertions of a file are checked, and a wrong one is named", async () => {
    const asserted = file("assert.json", [
      { kind: "file_exists", name: "report.txt" },
      { kind: "output_matches", pattern: "^Done: Report" },
    ]);
    const { code, stdout } = await tried(
      { instructions: "Write loud reports." },
      "--last",
      "1",
      "--assert-file",
      asserted,
      "--fail-if",
      "broken>0",
    );
    expect(code).toBe(1);
    expect(stdout).toContain("1 broke an assertion");
    expect(stdout).toContain("assertion 2: Expected an output that matches");
    const wrong = await tried({}, "--assert-file", file("wrong.json", [{ kind: "file_exist", name: "x" }]));
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain(
      "--assert-file, at 0: input tag found using 'kind' does not match any of the expected tags: 'output_m",
    );
  });

  test("a judge compares the outputs that differ, and --fail-if counts its verdicts", async () => {
    const judge = { ...definition, name: "Judge", instructions: "Prefer capitals." };
    const id = (await done(service.dataDir, "agent", "create", "--file", file("judge.json", judge))).id;
    const loud = { instructions: "Write loud reports." };
    const byAgent = await tried(loud, "--last", "1", "--judge", id, "--fail-if", "better>0");
    expect(byAgent.code).toBe(1);
    expect(byAgent.stderr).toContain("judge: Judge, for cases whose output differs\n");
    expect(byAgent.stderr).toMatch(/sends to 127\.0\.0\.1:\d+: 1 input and their outputs for the judge\n/);
    expect(byAgent.stdout).toContain("1 tried · 1 better · ");
    const trial = /trial show (\S+)\)/.exec(byAgent.stderr)?.[1] ?? "";
    const shown = await admin(service.dataDir, "trial", "show", trial, "--case", "1");
    expect(shown.stdout).toContain("judge: better\n");
    expect(shown.stdout).toContain("recorded output as A: the candidate's output is better. It is B.");
    expect(shown.stdout).toContain("candidate output as A: the candidate's output is better. It is A.");
    const byFile = await tried(loud, "--last", "1", "--judge-file", file("judge.json", judge), "--json");
    expect(JSON.parse(byFile.stdout)).toMatchObject({ trial: { judge: { name: "Judge", agent_id: null } } });
    expect((await tried(loud, "--judge", id, "--judge-file", "judge.json")).stderr).toContain("a trial has one judge");
  });

  test("a person at the terminal is asked before a model is called", async () => {
    const declined = await asked("n");
    expect(declined.code).toBe(1);
    expect(declined.stderr).toContain("Start the trial? [y/N] ");
    expect(declined.stderr).toContain("admin: not started; no model was called\n");
    const accepted = await asked("y");
    expect(accepted.code).toBe(0);
    expect(accepted.stdout).toContain("3 tried · 3 same");
    expect(accepted.shown.at(-1)).toBe("");
  });

  test("a trial is stopped from another terminal, and is deleted only after that", async () => {
    const trying = tried({ instructions: "Write nothing." }, "--fail-if", "open>1");
    const { dataDir } = service;
    const newest = async () => {
      const [trial] = await listed<{ id: string; status: string }>(dataDir, "trial", "list", agent);
      return trial;
    };
    await expect.poll(newest).toMatchObject({ status: "running" });
    const { id = "" } = (await newest()) ?? {};
    expect(await rejected(dataDir, "trial", "delete", id)).toContain("is running; stop it before you delete it");
    expect(await done(dataDir, "trial", "stop", id)).toMatchObject({ ended_by: "operator" });
    const { code, stdout, stderr } = await trying;
    expect(code).toBe(1);
    expect(stdout).toContain("0 tried · 3 without a verdict");
    expect(stdout).toContain("The trial was stopped.");
    expect(stderr).toContain("--fail-if holds: open>1: 3");
    expect(await done(dataDir, "trial", "delete", id)).toEqual({ trial_id: id });
  });

  test("a person's verdict takes the place of the computed one, and an update keeps the trial with the version", async () => {
    const { dataDir } = service;
    const { stdout } = await tried({ instructions: "Write loud reports." }, "--last", "1", "--json");
    const { id } = (JSON.parse(stdout) as { trial: { id: string } }).trial;
    expect((await admin(dataDir, "trial", "verdict", id, "1", "better")).stdout).toContain("better");
    expect(JSON.stringify(await done(dataDir, "trial", "show", id, "--case", "1"))).toContain('"verdict":"better"');
    expect((await admin(dataDir, "trial", "verdict", id, "1", "none")).stdout).toContain("different");
    expect(await rejected(dataDir, "trial", "verdict", id, "1", "good")).toContain(
      'VERDICT is "good": input should be ',
    );
    expect(await rejected(dataDir, "trial", "verdict", id, "9", "better")).toContain("9");

    const update = ["agent", "update", agent, "--trial", id, "--file"];
    expect(await rejected(dataDir, ...update, draft())).toContain("tried another definition");
    const saved = await done(dataDir, ...update, draft({ instructions: "Write loud reports." }));
    expect(saved).toMatchObject({ id: agent, version: 2 });
  });

  test("a suite keeps turns, redacted, and a change is tried on them", async () => {
    const { dataDir } = service;
    const suite = (...args: string[]) => admin(dataDir, "suite", ...args);
    expect((await suite("create", agent, "reports")).stdout).toBe("Created suite reports.\n");
    const rules = file("rules.json", [{ text: "Report 1", replacement: "Report one" }]);
    const added = await suite(
      "add",
      agent,
      "reports",
      "--run",
      `${runs[0]}.1`,
      "--run",
      runs[1] ?? "",
      "--redact-file",
      rules,
    );
    expect(added).toMatchObject({ code: 0, stdout: "2 kept\n" });
    const again = await suite("add", agent, "reports", "--run", runs[0] ?? "", "--redact", "x");
    expect(again.stdout).toBe("0 kept · 1 kept before\n");
    const same = await tried({}, "--suite", "reports", "--fail-if", "different>0,left>0");
    expect(same.stdout).toContain("2 tried · 2 same");
    expect(same.code).toBe(0);
    const failing = await tried(
      { instructions: "Write loud reports." },
      "--suite",
      "reports",
      "--fail-if",
      "different>1",
    );
    expect(failing.code).toBe(1);
    const [trial] = await listed<{ id: string }>(dataDir, "trial", "list", agent);
    await suite("create", agent, "second");
    const ofTrial = await suite("add", agent, "second", "--trial", trial?.id ?? "", "--case", "2", "--json");
    expect(JSON.parse(ofTrial.stdout)).toMatchObject({ added: [{ run_id: runs[1], turn: 1 }], refused: [] });
    const shown = await done(dataDir, "suite", "show", agent, "reports");
    const [first] = shown["data"] as { id: string }[];
    expect(first).toMatchObject({ input: "Report one" });
    expect((await suite("show", agent, "reports")).stdout).toContain("Report one");
    expect((await suite("remove", agent, "reports", first?.id ?? "")).code).toBe(0);
    expect((await suite("list", agent)).stdout).toMatch(/second +1 .*\nreports +1 /);
    expect((await suite("delete", agent, "reports")).stdout).toBe("Deleted suite reports.\n");
    expect(await rejected(dataDir, "suite", "show", agent, "reports")).toContain('has no suite "reports"');
    expect(await rejected(dataDir, "suite", "add", agent, "second")).toContain("suite add needs turns");
    expect(await rejected(dataDir, "suite", "add", agent, "second", "--case", "1")).toContain("belong together");
    expect(await refused("--file", draft(), "--budget", "1", "--yes", "--suite", "second", "--last", "3")).toContain(
      "--suite and --last cannot be used together",
    );
  });

  test("wrong options are refused with what is accepted", async () => {
    const ok = ["--file", draft(), "--budget", "1", "--yes"];
    expect(await refused("--file", draft(), "--budget", "1")).toContain("there is no terminal; pass --yes");
    expect(await refused("--file", draft(), "--yes")).toContain("--budget is missing");
    expect(await refused("--budget", "1", "--yes")).toContain("needs either --file draft.json or --version N");
    expect(await refused(...ok, "--version", "1")).toContain("needs either --file draft.json or --version N");
    expect(await refused(...ok, "--budget", "free")).toContain("--budget, at dollars: input should be a valid number");
    expect(await refused(...ok, "--tier", "batch")).toContain("--tier is \"batch\": input should be 'flex'");
    expect(await refused(...ok, "--tier", "flex")).toContain("known are OpenAI, Azure OpenAI and Amazon Bedrock");
    expect(await refused(...ok, "--run", "x", "--last", "3")).toContain("--run and --last cannot be used together");
    expect(await refused(...ok, "--fail-if", "slower>0")).toContain('before >, received "slower"');
    expect(await refused(...ok, "--tool-miss", "web_fetch")).toContain("expected NAME=stop, NAME=error, NAME=live or");
    expect(await refused(...ok, "--tool-miss", "read_mail=error")).toContain("no tool of the candidate");
    expect(await refused(...ok, "--on-miss", "live")).toContain(
      "--on-miss, at default: input should be 'stop' or 'error'",
    );
    expect(await refused(...ok, "--label", "team=none")).toContain("no finished turn that matches");
    const unpriced = file("unpriced.json", { ...definition, prices: undefined });
    expect(await refused("--file", unpriced, "--budget", "1", "--yes")).toContain("has no prices");
    expect(await refused("--file", file("bad.json", "{}"), "--budget", "1", "--yes")).toContain(
      "not a valid agent file",
    );
  });

  test("without a service, a trial is refused and not waited for", async () => {
    await using other = await startService();
    await other.end("SIGTERM");
    const args = ["agent", "try", other.templateId, "--version", "1", "--budget-tokens", "1000", "--yes"];
    expect(await rejected(other.dataDir, ...args)).toContain("no service runs on the data directory; start it");
  });
});
