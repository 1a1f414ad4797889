import { exactInput, type ToolCall } from "../../agent/model.ts";
import type { CallRecord, MissRule, KnownCall, RecordedOutput } from "../../agent/tools/recorded.ts";
import { canonicalJson } from "../../json.ts";
import type { TurnConfiguration } from "../../runs/turn-configuration.ts";
import type { RunJournalEntry } from "../../runs/run-types.ts";
import type { OutsideRules } from "../trial-types.ts";

/** A call of a recorded turn that has a result. */
interface EndedCall {
  call: ToolCall;
  /** Somebody was asked, and let it run. */
  allowed: boolean;
  recorded: RecordedOutput;
}

/** What two calls have in common that get the same answer. Numbers are compared with all their digits: 10.10 is 10.1. */
export function callKey(call: KnownCall): string {
  return `${call.name} ${canonicalJson(exactInput(call))}`;
}

/** The key of a call, and that of its arguments as sent, which releases up to 0.2.0 recorded where this one repairs them. */
function keysOf(call: KnownCall): string[] {
  const { name, sent } = call;
  return [callKey(call), ...(sent?.json === undefined ? [] : [callKey({ name, input: undefined, json: sent.json })])];
}

/**
 * The record of a turn, for a turn that repeats it. `own`: what that turn has recorded so far; the calls in it have had their
 * answers.
 */
export function callRecord(source: RunJournalEntry[], own: RunJournalEntry[]): CallRecord {
  const answers = Map.groupBy(endedCalls(source), ({ call }) => callKey(call));
  const taken = new Map<string, number>();
  const take = (keys: string[]): RecordedOutput | undefined => {
    const key = keys.find((each) => answers.has(each));
    if (key === undefined) return undefined;
    const count = taken.get(key) ?? 0;
    taken.set(key, count + 1);
    return answers.get(key)?.[count]?.recorded;
  };
  for (const { call } of endedCalls(own)) take(keysOf(call));
  return { next: (call) => take(keysOf(call)) };
}

/** The files that came with the answers of calls that left the service: a trial of the turn needs them, too. */
export function filesFromOutside(
  entries: RunJournalEntry[],
  configuration: TurnConfiguration,
): RecordedOutput["written"] {
  const names = outsideTools(configuration);
  return endedCalls(entries).flatMap(({ call, recorded }) => (names.has(call.name) ? recorded.written : []));
}

/** Names of the tools of a turn whose calls leave the service. */
export function outsideTools({ agent, offered }: Pick<TurnConfiguration, "agent" | "offered">): Set<string> {
  const own = (agent.clientTools ?? []).map(({ name }) => name);
  return new Set(["web_fetch", "ask_person", ...own, ...offered.flatMap(({ name, origin }) => (origin ? name : []))]);
}

/**
 * The calls of a turn that did something outside of the service: those of client tools and of MCP tools that do not only read, and
 * those that somebody allowed. Calls that failed are left out.
 */
export function callsWithEffects(
  entries: RunJournalEntry[],
  { agent, offered }: Pick<TurnConfiguration, "agent" | "offered">,
): KnownCall[] {
  const acting = new Set((agent.clientTools ?? []).map(({ name }) => name));
  for (const { name, origin, hasEffects } of offered) if (origin && hasEffects) acting.add(name);
  return endedCalls(entries)
    .filter(({ call, allowed, recorded }) => !recorded.output.error && (allowed || acting.has(call.name)))
    .map(({ call }) => call);
}

/** The rule for calls of a tool that the record does not answer. A model can make up any name. */
export function ruleOf({ default: others, tools = {} }: OutsideRules, name: string): MissRule {
  return (Object.hasOwn(tools, name) ? tools[name] : undefined) ?? others;
}

/** The calls of a turn with their results, in the order of the calls. */
function endedCalls(entries: RunJournalEntry[]): EndedCall[] {
  const ended: EndedCall[] = [];
  let [calls, results]: [ToolCall[], Map<number, RecordedOutput>] = [[], new Map()];
  const decided = new Map<number, string>();
  const add = (): void => {
    for (const [index, call] of calls.entries()) {
      const recorded = results.get(index);
      if (recorded) ended.push({ call, allowed: decided.get(index) === "allow", recorded });
    }
  };
  for (const entry of entries) {
    if (entry.part === "answer") {
      add();
      [calls, results] = [entry.answer.toolCalls, new Map()];
      decided.clear();
    }
    if (entry.part === "answered") decided.set(entry.call, entry.answer.kind);
    if (entry.part !== "result") continue;
    const { text, error, attachments } = entry.result;
    const files = entry.files ?? [];
    results.set(entry.call, {
      output: { text, ...(error && { error }), ...(attachments && { attachments }) },
      written: files.flatMap(({ name, size, sha256 }) => (sha256 === undefined ? [] : [{ name, size, sha256 }])),
      deleted: files.flatMap(({ name, deleted }) => (deleted ? [name] : [])),
      refused: ["deny", "expired"].includes(decided.get(entry.call) ?? ""),
    });
  }
  add();
  return ended;
}
