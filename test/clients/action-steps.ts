import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "../integration/script.ts";

interface Step {
  id?: string;
  if?: string;
  shell?: string;
  run?: string;
  uses?: string;
  env?: Record<string, string>;
}

interface Action {
  inputs: Record<string, { default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
}

export const action = parse(readFileSync(join(root, "action.yml"), "utf8")) as Action;

const ofTrials = ["src/trials/fail-if.ts", "src/trials/describe-trial.ts"];

/** The action as GitHub checks it out: without node_modules. */
export function checkOut(): string {
  const folder = mkdtempSync(join(tmpdir(), "action-"));
  for (const path of ["bin", "clients/typescript/src", ...ofTrials, "package.json"]) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  return folder;
}

export interface StepsResult {
  code: number | null;
  log: string;
  /** By name: of the action, as far as they were set. */
  outputs: Record<string, string>;
}

/**
 * Runs the shell steps of the action with bash, one after the other, as GitHub's runner does: expressions in `env` are
 * replaced, steps before a failed one have run, and outputs are read from files. Steps with `uses` are left out.
 */
export async function runSteps(
  checkout: string,
  workspace: string,
  inputs: Record<string, string>,
  environment: Record<string, string> = {},
): Promise<StepsResult> {
  const results: Record<string, Record<string, string>> = {};
  let [code, log]: [number | null, string] = [0, ""];
  for (const { id = "", run, env = {} } of action.runs.steps) {
    if (run === undefined || code !== 0) continue;
    const file = join(mkdtempSync(join(tmpdir(), "step-")), "output");
    writeFileSync(file, "");
    const variables = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, evaluate(value, inputs)]));
    const more = { ...environment, ...variables, GITHUB_OUTPUT: file, GITHUB_ACTION_PATH: checkout };
    const result = await bash(workspace, run, more);
    code = result.code;
    log += result.log;
    results[id] = entriesOf(readFileSync(file, "utf8"));
  }
  const outputs = Object.entries(action.outputs).flatMap(([name, { value }]) => {
    const [, step = "", output = ""] = /^\$\{\{ steps\.(\S+)\.outputs\.(\S+) \}\}$/.exec(value) ?? [];
    const found = results[step]?.[output];
    return found === undefined ? [] : [[name, found]];
  });
  return { code, log, outputs: Object.fromEntries(outputs) as Record<string, string> };
}

/** Replaces expressions, of which action.yml uses only inputs and some properties of `github`. */
function evaluate(text: string, inputs: Record<string, string>): string {
  const github: Record<string, string> = {
    workflow: "Nightly",
    run_number: "7",
    "event.pull_request.number": "",
    token: "ghs_token",
  };
  return text.replaceAll(/\$\{\{ (inputs|github)\.([\w.-]+) \}\}/g, (_, context: string, name: string) => {
    const value =
      context === "github" ? github[name] : (inputs[name] ?? evaluate(action.inputs[name]?.default ?? "", {}));
    return value ?? `unknown ${context}.${name}`;
  });
}

function bash(
  cwd: string,
  script: string,
  more: Record<string, string>,
): Promise<{ code: number | null; log: string }> {
  return new Promise((resolve, reject) => {
    // As GitHub runs `shell: bash`.
    const args = ["--noprofile", "--norc", "-eo", "pipefail", "-c", script];
    const child = spawn("bash", args, { cwd, env: { ...process.env, ...more }, stdio: ["ignore", "pipe", "pipe"] });
    let log = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (log += data.toString()));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, log }));
  });
}

/** Entries of a file `GITHUB_OUTPUT`: `name=value`, or `name<<DELIMITER` and lines up to the delimiter. */
function entriesOf(text: string): Record<string, string> {
  const entries: Record<string, string> = {};
  const lines = text.split("\n");
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [, name = "", delimiter] = /^([\w-]+)<<(.+)$/.exec(line) ?? [];
    if (delimiter !== undefined) entries[name] = lines.splice(0, lines.indexOf(delimiter)).join("\n");
    else if (line.includes("=")) entries[line.slice(0, line.indexOf("="))] = line.slice(line.indexOf("=") + 1);
  }
  return entries;
}
