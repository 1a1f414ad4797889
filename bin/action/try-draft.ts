import { appendFile, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Schemas } from "../../src/manage/schema-types.ts";
import { type FailCondition, failures, parseFailIf } from "../../src/trials/fail-if.ts";
import { addressExpected, type Environment, inputsIn, minutesOf } from "./inputs.ts";
import { requestJson } from "../request-json.ts";
import { errorLine, outputEntry } from "./workflow-commands.ts";
import { reportOf, writeComment } from "./trial-comment.ts";

type Body = Omit<Schemas["CreateTrialRequest"], "definition" | "assertions" | "concurrency" | "mode">;

interface TryInputs {
  url: string;
  token: string;
  agentId: string;
  /** Path of the draft. */
  file: string;
  /** Everything of the request but the draft. */
  body: Body;
  failIf: FailCondition[];
  /** Milliseconds. */
  timeout: number;
}

/** Milliseconds between two reads of a trial, and reads that may fail one after the other. */
const [interval, maxFailedReads] = [2_000, 10];

/**
 * Tries a changed agent file on recorded turns, writes what was found to the summary of the job and to a comment on the pull request.
 * Resolves with the exit code: 1 after an error, and if a condition of `fail-if` holds. Never prints a token.
 */
export async function tryDraft(environment: Environment, print: (line: string) => void): Promise<number> {
  const append = async (file: string, text: string): Promise<void> => {
    const path = environment[file];
    if (path) await appendFile(path, text);
  };
  try {
    const inputs = readTryInputs(environment);
    const manage = <Answer>(method: string, path: string, body?: object): Promise<Answer> =>
      requestJson<Answer>(`${inputs.url}/manage/v1${path}`, { method, token: inputs.token, ...(body && { body }) });
    const definition = await readDraft(inputs.file);
    const created = await manage<Schemas["Trial"]>("POST", `/agents/${inputs.agentId}/trials`, {
      ...inputs.body,
      definition,
    });
    const { id, estimate } = created;
    await append("GITHUB_OUTPUT", outputEntry("trial-id", id));
    print(`Trial ${id}: ${estimate.cases} of ${created.cases} cases can be tried.`);
    for (const { host, inputs: sent } of estimate.sends) print(`  sends ${sent} inputs to ${host}`);
    if (estimate.cases === 0) throw new Error("none of the cases can be tried; the page of the trial says why");
    await manage("POST", `/trials/${id}/start`);
    const trial = await endOf(() => manage<Schemas["Trial"]>("GET", `/trials/${id}`), inputs.timeout);
    const { data: cases } = await manage<Schemas["TrialCasePage"]>("GET", `/trials/${id}/cases`);
    const failed = failures(inputs.failIf, trial.summary);
    const report = reportOf({ trial, cases, failed, file: inputs.file, url: inputs.url });
    print(trial.summary.text);
    await append(
      "GITHUB_OUTPUT",
      outputEntry("summary", trial.summary.text) + outputEntry("failed", failed.join(", ")),
    );
    await append("GITHUB_STEP_SUMMARY", `${report}\n`);
    const address = await writeComment(environment, report, `${inputs.agentId} ${inputs.body.suite ?? "last"}`);
    if (address !== undefined) print(`Commented on the pull request: ${address}`);
    if (failed.length === 0) return 0;
    print(errorLine(`The trial fails: ${failed.join(", ")}.`));
  } catch (error) {
    print(errorLine((error as Error).message));
  }
  return 1;
}

function readTryInputs(environment: Environment): TryInputs {
  const { value, required } = inputsIn(environment);
  const suite = value("TRY_SUITE");
  const parsed = value("TRY_FAIL_IF") === "" ? { conditions: [] } : parseFailIf(value("TRY_FAIL_IF"));
  if ("problem" in parsed) throw new Error(`the input 'fail-if': ${parsed.problem}`);
  return {
    url: required("AGENT_RUN_URL", "url", addressExpected).replace(/\/+$/, ""),
    token: required("OPERATOR_TOKEN", "operator-token", "a token (ao_…). A secret is empty in runs for forks"),
    agentId: required("TRY_AGENT", "agent-id", "the ID of the agent"),
    file: value("TRY_FILE"),
    body: {
      ...(suite === "" ? { last: numberOf("last", value("TRY_LAST") || "20") } : { suite }),
      control: numberOf("control", value("TRY_CONTROL") || "10"),
      budget: budgetOf(value("TRY_BUDGET"), value("TRY_BUDGET_TOKENS")),
    },
    failIf: parsed.conditions,
    timeout: minutesOf(value("TIMEOUT_MINUTES") || "30") * 60_000,
  };
}

function budgetOf(dollars: string, tokens: string): NonNullable<Body["budget"]> {
  if (dollars === "" && tokens === "") {
    throw new Error("the inputs 'budget' and 'budget-tokens' are empty; limit what the trial may use with one of them");
  }
  return {
    ...(dollars !== "" && { dollars: numberOf("budget", dollars) }),
    ...(tokens !== "" && { tokens: numberOf("budget-tokens", tokens) }),
  };
}

function numberOf(input: string, text: string): number {
  if (/^\d{1,12}(\.\d{1,9})?$/.test(text)) return Number(text);
  throw new Error(`the input '${input}' is ${JSON.stringify(text)}; expected a number`);
}

async function readDraft(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new Error(`the input 'try': ${file} cannot be read as JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** Reads a trial until it has finished. */
async function endOf(read: () => Promise<Schemas["Trial"]>, timeout: number): Promise<Schemas["Trial"]> {
  const deadline = Date.now() + timeout;
  for (let failedReads = 0; ;) {
    try {
      const trial = await read();
      if (trial.status === "finished") return trial;
      failedReads = 0;
    } catch (error) {
      if (++failedReads > maxFailedReads) throw error;
    }
    const left = deadline - Date.now();
    if (left <= 0) throw new Error("the trial takes longer than 'timeout-minutes'. It continues; its page shows it");
    await sleep(Math.min(interval, left));
  }
}
