import { along } from "../../accounts/audit.ts";
import type { Accounts, Along } from "../../accounts/account-types.ts";
import { nameStarter, starterName, starterOf } from "../../accounts/starter.ts";
import type { AskKind } from "../../agent/ask-kinds.ts";
import type { Answer, Answerer } from "../../agent/asks.ts";
import { canonicalJson } from "../../json.ts";
import { log } from "../../log.ts";
import { ServiceError } from "../../errors.ts";
import { type AdmissionDeps, changeWithSlot, findQuotas, manyStarts, slotAttempts } from "../admission.ts";
import { normalizeId } from "../../accounts/ids.ts";
import { stamped } from "../events.ts";
import { readInlineFiles } from "../files/new-files.ts";
import type { Upload } from "../files/uploads.ts";
import { requireNotImported } from "../imported.ts";
import type { Uses } from "../ports.ts";
import { type AskedCall, findCall, openCalls } from "../read/open-calls.ts";
import { isWorking } from "./is-working.ts";
import { transitions } from "../status.ts";
import type { Run, RunChange, RunJournalEntry, RunOwner, TurnState } from "../run-types.ts";

/** An answer as a request gives it. */
export interface GivenAnswer {
  /** `AskedCall.id` */
  call: string;
  /** `AskedCall.argumentsHash`, as it was shown. */
  argumentsHash: string;
  answer: Exclude<Answer, { kind: "expired" }>;
  /** Of an output, with their contents. */
  files?: Upload[];
}

type Answering = AdmissionDeps & Uses<"workspace" | "actor" | "starter"> & { accounts: Pick<Accounts, "findKey"> };

/**
 * Answers a tool call that waits. With the last answer, the turn continues: it may wait for a slot, as a new turn.
 * - The first answer wins. The same one again changes nothing; another one rejects with `already_answered`.
 * - An API key answers approvals only if the agent allows it.
 *
 * Resolves with the changed run.
 */
export async function answerCall(deps: Answering, id: string, given: GivenAnswer): Promise<Run> {
  const { runs, workspace, actor, now } = deps;
  const by = starterOf(actor, deps.starter);
  const answer = withFiles(given);
  // Repeats when the run changes between the read and the write: another call may be answered, or an input queued.
  for (let lostSlots = 0; ;) {
    const state = await runs.loadTurn(normalizeId(id));
    if (!state) throw new ServiceError("run_not_found", `run ${JSON.stringify(id)} does not exist`);
    const { run } = state;
    requireNotImported(run);
    const asked = findCall(state, given.call);
    if (asked.answer) {
      requireSame(asked, answer, await answererText(deps, asked.answer.by));
      // The request of the first answer may have ended before it started the turn.
      if (isWorking(run)) await deps.workflow.start(run.id, run.turn, run);
      return run;
    }
    requireOpen(run, asked);
    if (asked.argumentsHash !== given.argumentsHash) throw argumentsChanged(asked);
    requireKind(asked, answer);
    if (asked.kind === "approval" && actor === undefined) await requireKeysApprove(deps, run);
    if (answer.contents.length > 0) await workspace.write(run.id, answer.contents);
    const { turn } = run;
    const { step, call, name } = asked;
    const entry = { turn, step, part: "answered", call, name, answer: answer.answer, ...(by && { by }) } as const;
    const audited = along(actor, "run.answer", run.id, now(), { organizationId: run.organizationId });
    const outcome = await record(deps, state, entry, audited);
    if (outcome !== "lost" && outcome !== "no_slot") return outcome;
    if (outcome === "no_slot" && ++lostSlots === slotAttempts) throw manyStarts();
  }
}

/**
 * Lets runs continue whose calls were not answered in time, until `until` (milliseconds since 1970). Their turns record it.
 * Resolves with the number of runs.
 */
export async function expireAnswers(deps: AdmissionDeps, until = Infinity): Promise<number> {
  let expired = 0;
  for (const run of await deps.runs.listAsking({ until: deps.now() })) {
    if (deps.now() >= until) break;
    const outcome = await continueTurn(deps, run).catch((error: unknown) => {
      log("error", "a run could not continue after its calls expired; the next attempt follows", {
        runId: run.id,
        error,
      });
      return "lost" as const;
    });
    if (outcome === "lost" || outcome === "no_slot") continue;
    log("info", "calls expired", { runId: run.id, turn: run.turn });
    expired++;
  }
  return expired;
}

/** Writes an answer. When no other call is open, the same write lets the turn continue. */
async function record(
  deps: AdmissionDeps,
  state: TurnState,
  entry: Extract<RunJournalEntry, { part: "answered" }>,
  audited: Along,
): Promise<Run | "lost" | "no_slot"> {
  const { run } = state;
  const { id: runId, turn, sequence, createdAt } = run;
  const entries = stamped([entry], { sequence, at: Math.max(deps.now(), createdAt) });
  const after = { ...run, sequence: sequence + entries.length };
  if (openCalls(state).length > 1) {
    const expect = { status: transitions.turnAnswered.from, turn, asks: true };
    return (await deps.runs.change({ runId, expect, entries, ...audited })) ? after : "lost";
  }
  const outcome = await continueTurn(deps, run, { entries, ...audited });
  if (outcome === "lost" || outcome === "no_slot") return outcome;
  const { askedUntil: _, ...continued } = { ...after, ...outcome };
  return continued;
}

/** Lets the turn of a run that waits for answers continue, with `more` in the same write. Resolves with what has changed. */
async function continueTurn(
  deps: AdmissionDeps,
  run: Pick<Run, "id" | "turn" | "pauses" | keyof RunOwner>,
  more: Along & Pick<RunChange, "entries"> = {},
): Promise<Pick<Run, "status" | "turn" | "updatedAt" | "waiting"> | "lost" | "no_slot"> {
  const { accounts, workflow, now } = deps;
  const { id: runId, turn, pauses = 0 } = run;
  const { quotas } = await findQuotas(accounts, run);
  const { from, to } = transitions.turnAnswered;
  const set = { status: to, turn, updatedAt: now() };
  const expect = { status: from, turn, asks: true, pauses };
  const outcome = await changeWithSlot(deps, run, quotas, { runId, expect, set, ...more });
  if (outcome === "no_slot" || outcome === "lost") return outcome;
  if (outcome.waiting) return { ...set, waiting: true };
  await workflow.start(runId, turn, run);
  return set;
}

interface FiledAnswer {
  answer: GivenAnswer["answer"];
  contents: { sha256: string; content: Uint8Array }[];
}

/** The answer with the names and hashes of its files. Throws for a file that the service does not accept. */
function withFiles({ answer, files = [] }: GivenAnswer): FiledAnswer {
  if (files.length === 0 || answer.kind !== "output") return { answer, contents: [] };
  const read = readInlineFiles(files);
  const versions = read.map(({ name, size, sha256 }) => ({ name, size, sha256 }));
  const contents = read.map(({ sha256, source: { content } }) => ({ sha256, content }));
  return { answer: { ...answer, files: versions }, contents };
}

/** Who gave the first answer. Programs do not read the names of operators. */
async function answererText({ accounts, actor }: Answering, by: Answerer | undefined): Promise<string> {
  if (!by) return "";
  if (actor === undefined) return by.kind === "operator" ? " by an operator" : " by a program";
  const name = starterName(await nameStarter(accounts, by));
  return ` by ${{ operator: "", key: "key ", mcp: "MCP client " }[by.kind]}${name}`;
}

/** `who`: gave the first answer. */
function requireSame({ id, answer: first }: AskedCall, { answer }: FiledAnswer, who: string): void {
  if (!first || canonicalJson(first.answer) === canonicalJson(answer)) return;
  const { kind } = first.answer;
  const what = { allow: "allowed", deny: "denied", output: "answered", error: "answered with an error", expired: "" };
  const how = kind === "expired" ? "was not answered in time" : `was ${what[kind]}${who}`;
  const when = first.at > 0 ? ` at ${new Date(first.at).toISOString()}` : "";
  throw new ServiceError("already_answered", `the call ${id} ${how}${when}; the first answer counts`);
}

function requireOpen({ id, status, askedUntil }: Run, asked: AskedCall): void {
  if (status !== "running") {
    throw new ServiceError("run_ended", `run ${id} is ${status}; its call ${asked.id} can no longer be answered`);
  }
  // The turn continues, and records that it expired.
  if (askedUntil === undefined)
    throw new ServiceError("already_answered", `the call ${asked.id} was not answered in time`);
}

function argumentsChanged({ id, argumentsHash }: AskedCall): ServiceError {
  const message = `the arguments of call ${id} have the SHA-256 ${argumentsHash}, not the one of this answer; read the call again`;
  return new ServiceError("arguments_changed", message);
}

const accepted: Record<AskKind, { kinds: Answer["kind"][]; text: string }> = {
  approval: { kinds: ["allow", "deny"], text: "a decision: allow or deny" },
  client_tool: { kinds: ["output", "error"], text: "an output or an error" },
  question: { kinds: ["output", "error"], text: "an output or an error" },
};

function requireKind({ id, kind }: AskedCall, { answer }: FiledAnswer): void {
  const { kinds, text } = accepted[kind];
  if (kinds.includes(answer.kind)) return;
  throw new ServiceError("invalid_argument", `the call ${id} (${kind}) is answered with ${text}`);
}

/** Whether API keys may answer approvals of the run. */
export async function keysApprove(
  accounts: AdmissionDeps["accounts"],
  { agentId }: Pick<Run, "agentId">,
): Promise<boolean> {
  return (await accounts.findAgent(agentId))?.answers?.keysApprove === true;
}

async function requireKeysApprove({ accounts }: Answering, run: Run): Promise<void> {
  if (await keysApprove(accounts, run)) return;
  throw new ServiceError(
    "approval_not_allowed",
    "this API key cannot answer approvals: the agent file does not set answers.keysApprove to true; ask an operator to answer",
  );
}
