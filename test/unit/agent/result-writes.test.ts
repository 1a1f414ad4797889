import { describe, expect, it } from "vitest";
import type { Model } from "../../../src/agent/model.ts";
import type { JournalEntry } from "../../../src/agent/turn/journal.ts";
import { runTurn } from "../../../src/agent/turn/run-turn.ts";
import { answer, call, scripted, turn } from "./scripted.ts";

const unavailable = {
  category: "model_unavailable",
  title: "Down.",
  remedy: "Wait.",
  retryable: true,
} as const;

/** A turn whose results, from the second step on, are written when `write` is settled. `happened`: what began and ended, in order. */
function slowWrites(model: Model) {
  const write = Promise.withResolvers<boolean>();
  const happened: string[] = [];
  const asked: Model = (request) => {
    happened.push("asked");
    return model(request);
  };
  const record = async ({ part, step }: JournalEntry): Promise<boolean> => {
    const recorded = part === "result" && step > 1 ? await write.promise : true;
    happened.push(part);
    return recorded;
  };
  const { input, ports } = turn(asked, { ports: { record } });
  return { write, happened, outcome: runTurn(input, ports).finally(() => happened.push("end")) };
}

const listing = answer("", [call("1", "list_files", {})]);
const failsAtThird: Model = async ({ messages }) =>
  messages.filter(({ role }) => role === "assistant").length > 1 ? { failure: unavailable } : listing;
/** The first step, and the call of the model for the third one. */
const before = ["asked", "answer", "result", "asked", "answer", "asked"];

describe("the model is called while a result is written", () => {
  it.each([
    ["and its next tool calls begin after both", [listing, listing, listing, answer("Done.")]],
    ["and the turn ends after it", [listing, listing, answer("Done.")]],
  ])("%s", async (_, outcomes) => {
    const { write, happened, outcome } = slowWrites(scripted(outcomes).model);
    await expect.poll(() => happened).toEqual(before);
    await new Promise(setImmediate);
    expect(happened).toEqual(before);
    write.resolve(true);
    expect(await outcome).toMatchObject({ kind: "done", text: "Done." });
    expect(happened[before.length]).toBe("result");
    expect(happened.filter((part) => part === "result")).toHaveLength(outcomes.length - 1);
  });

  it("and a failed call ends the turn after it", async () => {
    const { write, happened, outcome } = slowWrites(failsAtThird);
    await expect.poll(() => happened).toContain("failed");
    expect(happened).not.toContain("end");
    write.resolve(true);
    expect(await outcome).toMatchObject({ kind: "retry" });
    expect(happened.slice(-2)).toEqual(["result", "end"]);
  });

  it("and a result that is not recorded stops the turn, whatever the model answers", async () => {
    const { write, outcome } = slowWrites(scripted([listing, listing, answer("Done.")]).model);
    write.resolve(false);
    expect(await outcome).toEqual({ kind: "stopped" });
  });

  it("and an error of the write is that of the turn", async () => {
    const { write, outcome } = slowWrites(scripted([listing, listing, answer("Done.")]).model);
    write.reject(new Error("store down"));
    await expect(outcome).rejects.toThrow("store down");
  });
});

it("the first results are written before the model is called: a store may accept none", async () => {
  const { model, requests } = scripted([listing, answer("Done.")]);
  const { input, ports } = turn(model, { ports: { record: refusesResults } });
  await expect(runTurn(input, ports)).rejects.toThrow("store down");
  expect(requests).toHaveLength(1);
});

async function refusesResults({ part }: JournalEntry): Promise<boolean> {
  if (part === "result") throw new Error("store down");
  return true;
}

it("of more calls than run at once, none starts before a place in a write is free", async () => {
  const many = Array.from({ length: 20 }, (_, index) => call(String(index), "list_files", {}));
  const { write, happened, outcome } = slowWrites(scripted([listing, answer("", many), answer("Done.")]).model);
  await new Promise(setImmediate);
  expect(happened).toEqual(before.slice(0, -1));
  write.resolve(true);
  expect(await outcome).toMatchObject({ kind: "done" });
  expect(happened.filter((part) => part === "result")).toHaveLength(21);
});
