import { type Case, expect, expectEqual } from "../expect.ts";
import type { Target } from "../types.ts";
import { ended, expectCode, ext, listed, newRun, type Run } from "./client.ts";
import { followToEnd, readStream } from "./stream.ts";

const withTurn = { input_text: "Reply with one word.", files: [{ filename: "a.txt", content_base64: "QQ==" }] };

async function finishedRun(target: Target): Promise<Run> {
  return ended(target, (await newRun(target, withTurn)).id);
}

const sequences = (events: Record<string, unknown>[]): unknown[] => events.map(({ sequence }) => sequence);
const numbers = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

export const eventCases: Case[] = [
  {
    name: "ext events: are numbered from 1 without gaps, in pages of any size",
    async run(target) {
      const { id, sequence } = await finishedRun(target);
      const all = await listed(target, `/runs/${id}/events`, "after");
      expectEqual(sequences(all), numbers(sequence), "the numbers");
      expectEqual(all[0]?.["type"], "input", "the first event's type");
      expectEqual(all.at(-1)?.["type"], "output", "the last event's type");
      expectEqual(await listed(target, `/runs/${id}/events?limit=1`, "after"), all, "the same events:");
    },
  },
  {
    name: "ext events: a stream of an ended run has all events and ends",
    async run(target) {
      const { id } = await finishedRun(target);
      const messages = await readStream(target, id);
      expectEqual(messages[0]?.event, "run", "the first message");
      expectEqual(messages.at(-1), { event: "end", data: { status: "finished" } }, "the last message");
      const events = messages.filter(({ event }) => event === "event").map(({ data }) => data);
      expectEqual(events, await listed(target, `/runs/${id}/events`, "after"), "the events of the list:");
    },
  },
  {
    name: "ext events: a stream continues after Last-Event-ID",
    async run(target) {
      const { id, sequence } = await finishedRun(target);
      for (const last of [1, sequence - 1, sequence]) {
        const events = (await readStream(target, id, String(last))).filter(({ event }) => event === "event");
        const expected = numbers(sequence).slice(last).map(String);
        expectEqual(
          events.map((each) => each.id),
          expected,
          `the ids after ${last}`,
        );
      }
      const headers = { accept: "text/event-stream", "last-event-id": "x" };
      expectCode(await ext(target, `GET /runs/${id}/events`, { headers }), 422, "invalid_argument");
    },
  },
  {
    name: "ext events: a stream of a running run delivers every event once, in order",
    async run(target) {
      const { id } = await newRun(target, withTurn);
      const received = await followToEnd(target, id);
      const { sequence } = await ended(target, id);
      expectEqual(
        received.map((each) => Number(each.id)),
        numbers(sequence),
        "the numbers",
      );
    },
  },
  {
    name: "ext events: a stream of an idle run ends at once",
    async run(target) {
      const { id } = await newRun(target);
      const events = (await readStream(target, id)).map(({ event }) => event);
      expect(events.at(-1) === "end", "a stream that ends with end", events.join(", "));
    },
  },
];
