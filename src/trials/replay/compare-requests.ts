import { canonicalJson, isObject, isRawNumber, parseExact } from "../../json.ts";
import { rebuildRequest } from "../../runs/read/rebuild-request.ts";
import type { sentRequest } from "../../runs/read/sent-request.ts";
import type { Stores } from "../../runs/ports.ts";
import type { Run, RunJournalEntry } from "../../runs/types.ts";
import type { StepDifference, StepsOutcome } from "../types.ts";
import { cacheKeyOf } from "./cache-key.ts";
import { callsIn, type RecordedCall } from "./recorded-model.ts";

interface Deps extends Pick<Stores, "runs" | "configurations" | "workspace"> {
  /** Absent: the place of a difference is that in the request before it has the form of a provider. */
  sentRequest?: typeof sentRequest;
}

/** A turn with its journal. */
export interface JournaledTurn {
  run: Run;
  entries: RunJournalEntry[];
}

/**
 * Compares the requests of a replayed turn with the recorded ones, in their order: by the recorded SHA-256 of the body, or else by what is
 * rebuilt from both records. The first difference has its path in the body. Each recorded call that a finished turn did not make is
 * a difference, too.
 */
export async function compareRequests(
  deps: Deps,
  turn: number,
  recorded: JournaledTurn,
  replayed: JournaledTurn,
): Promise<StepsOutcome> {
  const [before, after] = [callsIn(recorded.entries), callsIn(replayed.entries)];
  const outcome: StepsOutcome = { compared: Math.min(before.length, after.length), changed: 0 };
  for (const [index, call] of after.entries()) {
    const original = before[index];
    if (!original) break;
    const at = { turn, step: original.step };
    const pair: Pair = [
      { run: recorded.run, call: original },
      { run: replayed.run, call },
    ];
    if (await isEqual(deps, at, pair)) continue;
    outcome.changed++;
    outcome.first ??= { step: original.step, ...(await differenceOf(deps, at, pair, cacheKeyOf(recorded.run))) };
  }
  const missing = before[after.length];
  if (missing && replayed.run.status === "finished") {
    outcome.compared = before.length;
    outcome.changed += before.length - after.length;
    outcome.first ??= {
      step: missing.step,
      reason: `The turn ends before step ${missing.step} of the recorded one.`,
    };
  }
  return outcome;
}

type Pair = [recorded: { run: Run; call: RecordedCall }, replayed: { run: Run; call: RecordedCall }];
type Place = { turn: number; step: number };

async function isEqual(deps: Deps, at: Place, [recorded, replayed]: Pair): Promise<boolean> {
  if (recorded.call.step !== replayed.call.step || recorded.call.part !== replayed.call.part) return false;
  const [sent, again] = [recorded.call.sent?.at(-1), replayed.call.sent?.at(-1)];
  if (sent && again) return sent.sha256 === again.sha256;
  const [one, two] = await Promise.all([recorded, replayed].map(({ run }) => rebuildRequest(deps, run.id, at)));
  if (!one || !two || "unknown" in one || "unknown" in two) return false;
  return canonicalJson(one.request) === canonicalJson(two.request);
}

/** What differs first in two requests of a step. */
async function differenceOf(
  deps: Deps,
  at: Place,
  [recorded, replayed]: Pair,
  cacheKey: string,
): Promise<Omit<StepDifference, "step">> {
  if (recorded.call.step !== replayed.call.step) {
    return { reason: `The request is that of step ${replayed.call.step}.` };
  }
  const bodies = await Promise.all([recorded, replayed].map(({ run }) => bodyOf(deps, run.id, at, cacheKey)));
  const unknown = bodies.find((body) => typeof body === "string");
  if (unknown !== undefined) return { reason: `The request cannot be rebuilt to say what differs: ${unknown}` };
  const path = firstDifference(bodies[0], bodies[1]);
  if (path === undefined) return { reason: "The request is not the one that was sent: its recorded hash is another." };
  return { path, reason: `The request differs at ${path}.` };
}

/** The body of the request of a step, or what is known of a request that is not sent. A text says why it is unknown. */
async function bodyOf(deps: Deps, runId: string, at: Place, cacheKey: string): Promise<unknown> {
  const sent = await deps.sentRequest?.(deps, runId, at, cacheKey);
  if (sent && !("unknown" in sent)) return parseExact(sent.request.body);
  const rebuilt = await rebuildRequest(deps, runId, at);
  return "unknown" in rebuilt ? rebuilt.unknown : rebuilt.request;
}

/** The path of the first difference of two JSON values. Undefined: they are equal. The path of the values themselves is `.`. */
export function firstDifference(one: unknown, two: unknown, path: string[] = []): string | undefined {
  if (Array.isArray(one) && Array.isArray(two)) {
    const length = Math.max(one.length, two.length);
    return firstOf(
      Array.from({ length }, (_, index) => [String(index), one[index], two[index]]),
      path,
    );
  }
  if (isRawNumber(one) || isRawNumber(two)) {
    return JSON.stringify(one) === JSON.stringify(two) ? undefined : path.join(".") || ".";
  }
  if (isObject(one) && isObject(two)) {
    const keys = new Set([...Object.keys(one), ...Object.keys(two)]);
    return firstOf(
      [...keys].map((key) => [key, one[key], two[key]]),
      path,
    );
  }
  return one === two ? undefined : path.join(".") || ".";
}

function firstOf(parts: [key: string, one: unknown, two: unknown][], path: string[]): string | undefined {
  for (const [key, one, two] of parts) {
    const found = firstDifference(one, two, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
