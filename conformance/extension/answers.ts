import { setTimeout as sleep } from "node:timers/promises";
import { asObject, type Case, expect, expectEqual, Mismatch } from "../expect.ts";
import type { Target } from "../types.ts";
import { ended, expectCode, ext, listed, newRun, type Run, runOf } from "./client.ts";

const input_text = "Call a tool before you answer: one that my program runs, with any arguments that it accepts.";
const otherHash = "0".repeat(64);

/** The open calls of a run that a program answers. */
function callsOf({ open_calls: calls }: Run): Record<string, unknown>[] {
  return Array.isArray(calls) ? calls.map(asObject).filter(({ kind }) => kind === "client_tool") : [];
}

/** Waits until a run waits for answers, or is idle. */
async function waiting(target: Target, id: string): Promise<Run> {
  const deadline = Date.now() + target.timeoutSeconds * 1_000;
  for (;;) {
    const run = runOf(await ext(target, `GET /runs/${id}?wait=5`));
    if (run.status !== "running" || run.state === "waiting") return run;
    if (Date.now() > deadline) {
      throw new Mismatch(`a run that ends or waits within ${target.timeoutSeconds} s (--timeout)`, JSON.stringify(run));
    }
    await sleep(500);
  }
}

export const answerCases: Case[] = [
  {
    name: "ext answers: a call of a client tool waits for the first answer that names its arguments",
    async run(target) {
      const { id } = await newRun(target, { input_text });
      const run = await waiting(target, id);
      const call = callsOf(run)[0];
      if (!call) {
        runOf(await ext(target, `POST /runs/${id}/stop`));
        return "the agent called no client tool";
      }
      const answer = (fields: object) => {
        const named = { call: call["id"], arguments_sha256: call["arguments_sha256"] };
        return ext(target, `POST /runs/${id}/answers`, { body: { ...named, ...fields } });
      };
      expectEqual([run.status, run.state], ["running", "waiting"], "the status and state of a run that waits");
      expectCode(await answer({ arguments_sha256: otherHash, output: "" }), 409, "arguments_changed");
      expectCode(await answer({ call: "999.1.0", output: "" }), 404, "call_not_found");
      expectCode(await answer({ decision: "allow" }), 422, "invalid_argument");
      expectCode(await answer({}), 422, "invalid_argument");
      expectCode(await answer({ output: "", error: "both" }), 422, "invalid_argument");
      expectEqual(callsOf(await waiting(target, id)).length, callsOf(run).length, "the open calls after wrong answers");

      const output = { found: true };
      runOf(await answer({ output }));
      runOf(await answer({ output }));
      expectCode(await answer({ output: "another" }), 409, "already_answered");
      const events = await listed(target, `/runs/${id}/events`, "after");
      const [turn, step, position] = String(call["id"]).split(".").map(Number);
      const of = (type: string) =>
        events.filter((event) => {
          return (
            event["type"] === type && event["turn"] === turn && event["step"] === step && event["call"] === position
          );
        });
      expectEqual([of("call_asked").length, of("call_answered").length], [1, 1], "the numbers of events of the call");
      const { answer: kind, text, answered_by: by } = asObject(of("call_answered")[0]);
      expectEqual([kind, text, by], ["output", JSON.stringify(output), "key"], "the recorded answer");
      await answerTheRest(target, id);
      expect((await ended(target, id)).status === "finished", "a run that finishes", "another status");
      return undefined;
    },
  },
];

/** Answers the other calls of a run, until it is idle. */
async function answerTheRest(target: Target, id: string): Promise<void> {
  for (let run = await waiting(target, id); run.state === "waiting"; run = await waiting(target, id)) {
    const calls = callsOf(run);
    if (calls.length === 0) throw new Mismatch("calls that a program answers", JSON.stringify(run["open_calls"]));
    for (const { id: call, arguments_sha256 } of calls) {
      const body = { call, arguments_sha256, error: "Answer now, without this tool." };
      runOf(await ext(target, `POST /runs/${id}/answers`, { body }));
    }
  }
}
