import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/runs/run-types.ts";
import { turnFacts } from "../../../src/trials/cases/turn-facts.ts";
import { at, recordedTurn, sha, start } from "./samples.ts";

describe("the facts of a turn", () => {
  it("are its input, output, calls and usage, without those of other turns", () => {
    expect(turnFacts(recordedTurn(), 2)).toEqual({
      turn: 2,
      input: "Sum up sales.csv.",
      output: "The sum is 42.",
      calls: [
        { step: 1, call: 0, name: "read_file", input: { name: "sales.csv" }, result: { text: "42" }, files: [] },
        {
          step: 1,
          call: 1,
          name: "web_fetch",
          input: { url: "https://example.com/rates" },
          result: { text: "404", error: true },
          files: [],
        },
        {
          step: 2,
          call: 0,
          name: "write_file",
          input: { name: "sum.txt", content: "42" },
          result: { text: "Written." },
          files: [{ name: "sum.txt", size: 2, sha256: sha("1") }],
        },
      ],
      used: expect.objectContaining({ steps: 3, inputTokens: 3_010, outputTokens: 301, milliseconds: 7_000 }),
      priced: true,
      finishReason: "completed",
    });
    expect(turnFacts(recordedTurn(), 2).used.dollars).toBeCloseTo(0.0061);
  });

  it("say that the cost is unknown if a call has none", () => {
    const events = recordedTurn().map((event) => {
      if (!("dollars" in event) || event.step !== 2) return event;
      const { dollars: _, ...rest } = event;
      return rest;
    });
    expect(turnFacts(events, 2).priced).toBe(false);
  });

  it("have the reason why a turn ended early", () => {
    const events = recordedTurn();
    const last = events.findLast((event) => "part" in event && event.part === "answer");
    Object.assign(last ?? {}, { ended: "steps" });
    expect(turnFacts(events, 2).finishReason).toBe("steps");
  });

  it("have the failure that the turn ended with", () => {
    const failure = { category: "model_refused", title: "The key was rejected." } as const;
    const failed: RunEvent = { turn: 2, step: 2, part: "failed", failure, attempt: 1, milliseconds: 5, last: true };
    const resumed: RunEvent = { turn: 2, step: 2, part: "resumed", instance: "i", reason: "retry" };
    const events = [...recordedTurn().slice(0, 5), failed];
    expect(turnFacts(events, 2)).toMatchObject({ failure });
    expect(turnFacts(events, 2)).not.toHaveProperty("finishReason");
    expect(turnFacts([...events, resumed], 2)).not.toHaveProperty("failure");
  });

  it("have no result of a call that the turn ended without", () => {
    expect(turnFacts(recordedTurn().slice(0, 4), 2).calls.map(({ result }) => result?.text)).toEqual([
      undefined,
      "404",
    ]);
  });

  it("count no time in which calls waited for answers, and once if two waited together", () => {
    const entry = { turn: 1, step: 1 };
    const answer = { kind: "allow" } as const;
    const events: RunEvent[] = [
      { turn: 1, role: "input_to_agent", text: "Send both.", ...at(0) },
      { ...entry, part: "asked", call: 0, kind: "approval", until: start, ...at(2) },
      { ...entry, part: "asked", call: 1, kind: "approval", until: start, ...at(4) },
      { ...entry, part: "answered", call: 0, answer, ...at(102) },
      { ...entry, part: "answered", call: 1, answer, ...at(202) },
      { turn: 1, role: "output_from_agent", text: "Sent.", ...at(205) },
    ];
    expect(turnFacts(events, 1).used.milliseconds).toBe(5_000);
  });

  it("begin where a tried turn was copied from its origin", () => {
    const [, input, ...rest] = recordedTurn();
    const copied = { ...input, at: start - 86_400_000 } as RunEvent;
    const forked: RunEvent = { turn: 2, step: 0, part: "forked", from: "S", sequence: 2, at: start + 1_500 };
    expect(turnFacts([copied, forked, ...rest], 2).used.milliseconds).toBe(6_500);
  });

  it("have no duration if the events have no times", () => {
    const events: RunEvent[] = [
      { turn: 1, role: "input_to_agent", text: "Hello" },
      { turn: 1, role: "output_from_agent", text: "Hello" },
    ];
    expect(turnFacts(events, 1).used.milliseconds).toBe(0);
  });
});
