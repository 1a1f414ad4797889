import type { AgentDefinition } from "../../../src/accounts/account-types.ts";
import { noUsage, type Usage } from "../../../src/agent/turn/turn-limits.ts";
import type { EventStamp, RunEvent } from "../../../src/runs/run-types.ts";
import type {
  Attempt,
  AttemptOutcome,
  TrialCase,
  TriedConfiguration,
  TurnEnding,
} from "../../../src/trials/trial-types.ts";

export const start = Date.UTC(2026, 10, 27, 9);

export const sha = (digit: string): string => digit.repeat(64);

const usage = { inputTokens: 1_000, outputTokens: 100 };

/** Number and time of an event, so many seconds after the start. */
export function at(second: number): EventStamp {
  return { sequence: second, at: start + second * 1_000 };
}

/** A turn with two steps of calls, a failed attempt and an answer, as a store returns it, between two other turns. */
export function recordedTurn(): RunEvent[] {
  return [
    { turn: 1, role: "output_from_agent", text: "Ready.", ...at(0) },
    { turn: 2, role: "input_to_agent", text: "Sum up sales.csv.", agentVersion: 3, ...at(1) },
    {
      turn: 2,
      step: 1,
      part: "answer",
      configuration: sha("c"),
      agentVersion: 3,
      answer: {
        text: "",
        toolCalls: [
          { id: "a", name: "read_file", input: { name: "sales.csv" } },
          { id: "b", name: "web_fetch", input: { url: "https://example.com/rates" } },
        ],
        finishReason: "tool-calls",
        usage,
      },
      milliseconds: 900,
      dollars: 0.002,
      ...at(2),
    },
    {
      turn: 2,
      step: 1,
      part: "result",
      call: 1,
      result: { callId: "b", name: "web_fetch", text: "404", error: true },
      ...at(3),
    },
    { turn: 2, step: 1, part: "result", call: 0, result: { callId: "a", name: "read_file", text: "42" }, ...at(4) },
    {
      turn: 2,
      step: 2,
      part: "failed",
      failure: { category: "model_unavailable", title: "The model server is overloaded." },
      attempt: 1,
      milliseconds: 20,
      begun: true,
      usage: { inputTokens: 10, outputTokens: 1 },
      dollars: 0.0001,
      ...at(5),
    },
    {
      turn: 2,
      step: 2,
      part: "answer",
      answer: {
        text: "",
        toolCalls: [{ id: "c", name: "write_file", input: { name: "sum.txt", content: "42" } }],
        finishReason: "tool-calls",
        usage,
      },
      dollars: 0.002,
      ...at(6),
    },
    {
      turn: 2,
      step: 2,
      part: "result",
      call: 0,
      result: { callId: "c", name: "write_file", text: "Written." },
      files: [{ name: "sum.txt", size: 2, sha256: sha("1") }],
      ...at(7),
    },
    {
      turn: 2,
      step: 3,
      part: "answer",
      answer: { text: "The sum is 42.", toolCalls: [], finishReason: "stop", usage },
      dollars: 0.002,
      ...at(8),
    },
    { turn: 2, role: "output_from_agent", text: "The sum is 42.", ...at(8) },
    { turn: 3, role: "input_to_agent", text: "Thanks.", ...at(60) },
  ];
}

export function used(more: Partial<Usage> = {}): Usage {
  return { ...noUsage, steps: 3, inputTokens: 1_000, outputTokens: 100, milliseconds: 7_000, dollars: 0.004, ...more };
}

export const prices = { input: 2, output: 10 };

export function configuration(more: Partial<AgentDefinition> = {}): TriedConfiguration {
  const definition: AgentDefinition = {
    name: "Agent",
    instructions: "Work.",
    tools: ["read_file"],
    limits: { steps: 50, tokens: 500_000, seconds: 1_800 },
    prices,
    ...more,
  };
  return { definition, hash: sha("d") };
}

/** `definition` without prices. */
export function unpriced(): TriedConfiguration {
  const { definition, hash } = configuration();
  const { prices: _, ...rest } = definition;
  return { definition: rest, hash };
}

export function arm(more: Partial<AttemptOutcome<TurnEnding>> = {}): Attempt<TurnEnding> {
  const comparison = { sameOutput: true, files: [] };
  return {
    runId: "R",
    budget: {},
    outcome: { ending: { kind: "finished" }, comparison, assertions: [], used: used(), ...more },
  };
}

export const differs = { comparison: { sameOutput: false, files: [] } };

/** Without a comparison, which only finished turns have. */
export function ended(ending: TurnEnding, more: Partial<AttemptOutcome<TurnEnding>> = {}): Attempt<TurnEnding> {
  return { runId: "R", budget: {}, outcome: { ending, assertions: [], used: used(), ...more } };
}

export const leftRecord = { kind: "left_record", step: 2, tool: "web_fetch" } as const;

export function caseOf(more: Partial<TrialCase> = {}): TrialCase {
  return { trialId: "T", number: 1, revision: 0, source: { runId: "S", turn: 1, used: used() }, ...more };
}

/** `count` cases, numbered from 1. */
export function casesOf(count: number, more: Partial<TrialCase> = {}): TrialCase[] {
  return Array.from({ length: count }, (_, index) => caseOf({ number: index + 1, ...more }));
}
