import { expect } from "vitest";
import type { Job } from "./driver.ts";
import { agent, askAgent, type Case, end, getEvents, getRun, id, run } from "./case.ts";
import { json, noAnswer, type Received, stream } from "./scripted-server.ts";

const postAnswer = `POST /ext/v1/runs/${id}/answers`;
const sent = ({ body }: Received): unknown => JSON.parse(body.toString());

/** A call that waits for an answer. */
export const openCall = (callId: string, more: object = {}) => ({
  id: callId,
  kind: "client_tool",
  name: "find_order",
  arguments: '{"order":4711}',
  arguments_sha256: callId.replaceAll(".", "").padEnd(64, "a"),
  since: "2026-11-26T10:00:00Z",
  until: "2026-11-27T10:00:00Z",
  ...more,
});
const first = openCall("1.1.0");
const second = openCall("1.1.1");
const question = openCall("1.1.2", { kind: "question", name: "ask_person", arguments: '{"question":"Why?"}' });
const approval = openCall("1.1.3", { kind: "approval" });
const named = { call: first.id, arguments_sha256: first.arguments_sha256 };

/** A run that waits for answers to calls. */
export const waits = (...calls: object[]) => json(200, run("running", null, { state: "waiting", open_calls: calls }));
const accepted = json(200, run("running", null, { state: "running" }));
const finished = json(200, run("finished", "Done.", { state: "finished", open_calls: [] }));
const rejected = (status: number, code: string) => json(status, { detail: "No.", code });

/** A case of an answer that is accepted. `body`: what is sent. */
function answered(options: Record<string, unknown>, body: object): Case {
  return {
    replies: [agent, accepted],
    job: { method: "answer", args: [id, first], options },
    expected: ([, post]) => {
      expect(sent(post!)).toEqual({ ...named, ...body });
      return { calls: [askAgent, postAnswer], value: { id, status: "running" } };
    },
  };
}

/** A case of `serve_tools` whose function `find_order` does something, so that this answer is sent. */
function served(does: NonNullable<Job["tools"]>[string], answer: object): Case {
  return {
    replies: [agent, waits(first), accepted, finished],
    job: { method: "serve_tools", args: [id], tools: { find_order: does } },
    expected: ([, , post]) => {
      expect(sent(post!)).toEqual({ ...named, ...answer });
      return { called: [["find_order", { order: 4711 }]], value: { status: "finished" }, sleeps: [] };
    },
  };
}

/** A message of an event stream with the run, whose last event has this number. */
const runText = (state: string, sequence: number): string =>
  `event: run\ndata: ${JSON.stringify({ id, status: "running", state, sequence })}\n\n`;
const event = (sequence: number, type = "output", more = {}) => ({
  type,
  sequence,
  at: null,
  turn: 1,
  step: 1,
  ...more,
});
const eventText = (sequence: number, type?: string, more?: object): string =>
  `id: ${sequence}\nevent: event\ndata: ${JSON.stringify(event(sequence, type, more))}\n\n`;
const delta = (from: number, text: string, [turn, step] = [1, 1], name = "delta"): string =>
  `event: ${name}\ndata: ${JSON.stringify({ turn, step, from, text })}\n\n`;

/** A case of the texts that a stream has. `texts`: with turn and step. */
function written(parts: string[], texts: unknown[], value: unknown[] = []): Case {
  return {
    replies: [agent, ...parts.map((part) => stream(part, part === parts.at(-1) ? "end" : "cut"))],
    job: { method: "events", args: [id], onText: "record" },
    expected: () => ({ texts, value }),
  };
}

export const answers: Record<string, Case> = {
  "has the open calls of a run that waits": {
    replies: [agent, waits(first, approval)],
    job: { method: "get", args: [id] },
    expected: () => ({ value: { status: "running", waiting: true, open_calls: [first, approval] } }),
  },
  "stops waiting when a run waits for an answer": {
    replies: [agent, json(200, run("running")), waits(first)],
    job: { method: "wait", args: [id], options: { raise_on_failure: true } },
    expected: () => ({
      calls: [askAgent, getRun, getRun],
      value: { status: "running", waiting: true },
      sleeps: [3_000],
    }),
  },
  "passes the events on that precede the answer that a run waits for": {
    replies: [agent, stream(runText("waiting", 2) + eventText(1) + eventText(2) + eventText(3)), waits(first)],
    job: { method: "wait", args: [id], onEvent: "record" },
    expected: () => ({
      calls: [askAgent, getEvents, getRun],
      events: [event(1), event(2)],
      value: { waiting: true },
    }),
  },
  "stops waiting when a stream says that the run waits for an answer": {
    replies: [agent, stream(runText("running", 0) + eventText(1) + runText("waiting", 1) + eventText(2)), waits(first)],
    job: { method: "wait", args: [id], onEvent: "record" },
    expected: () => ({ calls: [askAgent, getEvents, getRun], events: [event(1)], value: { waiting: true } }),
  },
  "follows events beyond the answer that a run waits for": {
    replies: [agent, stream(runText("waiting", 1) + eventText(1) + runText("running", 2) + eventText(2) + end)],
    job: { method: "events", args: [id] },
    expected: () => ({ value: [event(1), event(2)] }),
  },

  "allows a call": answered({ allow: true }, { decision: "allow" }),
  "denies a call": answered({ allow: false, reason: "Too dear." }, { decision: "deny", reason: "Too dear." }),
  "answers a call with a text": answered({ output: "Sent." }, { output: "Sent." }),
  "answers a call with JSON": answered({ output: { sent: [true, 0] } }, { output: { sent: [true, 0] } }),
  "answers a call with an error": answered({ error: "No stock." }, { error: "No stock." }),
  "answers a call with files": answered(
    { output: "", files: [["a.txt", "content"]] },
    { output: "", files: [{ filename: "a.txt", content_base64: "Y29udGVudA==" }] },
  ),
  "repeats an answer": {
    replies: [agent, noAnswer, accepted],
    job: { method: "answer", args: [id, first], options: { output: "Sent." } },
    expected: ([, one, two]) => {
      expect(sent(two!)).toEqual(sent(one!));
      return { calls: [askAgent, postAnswer, postAnswer], value: { id }, sleeps: [1_000] };
    },
  },
  "reports an answer after another one": {
    replies: [agent, rejected(409, "already_answered")],
    job: { method: "answer", args: [id, first], options: { output: "Sent." } },
    expected: () => ({ error: { name: "APIError", status: 409, code: "already_answered" } }),
  },

  "answers a client tool with the text of its function": served({ returns: "Sent." }, { output: "Sent." }),
  "answers a client tool with the JSON of its function": served({ returns: { n: [1] } }, { output: { n: [1] } }),
  "answers a client tool with files": served(
    { returns: { n: 1 }, files: [["stock.csv", "4711,4\n"]] },
    { output: { n: 1 }, files: [{ filename: "stock.csv", content_base64: btoa("4711,4\n") }] },
  ),
  "answers a client tool with an error if a file of its function does not exist": {
    replies: [agent, waits(first), accepted, finished],
    job: { method: "serve_tools", args: [id], tools: { find_order: { returns: "x", files: ["/nowhere/stock.csv"] } } },
    expected: ([, , post]) => {
      expect(sent(post!)).toEqual({ ...named, error: expect.stringContaining("/nowhere/stock.csv") });
      return { value: { status: "finished" } };
    },
  },
  "passes the text that a model writes on while it waits": {
    replies: [
      agent,
      stream(runText("running", 0) + delta(0, "Hel") + delta(3, "lo") + eventText(1, "model_call") + end),
      finished,
    ],
    job: { method: "wait", args: [id], onText: "record" },
    expected: () => ({
      texts: [
        ["Hel", 1, 1],
        ["Hello", 1, 1],
      ],
      events: [],
      value: { status: "finished" },
    }),
  },
  "passes text on while it serves tools": {
    replies: [
      agent,
      stream(runText("waiting", 1) + eventText(1)),
      waits(first),
      accepted,
      stream(runText("running", 1) + delta(0, "Sent.", [1, 2]) + eventText(2) + end),
      finished,
    ],
    job: { method: "serve_tools", args: [id], tools: { find_order: { returns: "Sent." } }, onText: "record" },
    expected: (received) => {
      const streams = received.filter(({ call }) => call === getEvents);
      expect(streams.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "1"]);
      return { texts: [["Sent.", 1, 2]], value: { status: "finished" } };
    },
  },
  "answers a client tool whose arguments JavaScript would round": {
    replies: [agent, waits({ ...first, arguments: '{"order":9007199254740993}' }), accepted, finished],
    job: { method: "serve_tools", args: [id], tools: { find_order: { returns: "Sent." } } },
    expected: ([, , post]) => {
      // Python's integers have any length.
      const { error, output } = sent(post!) as { error?: string; output?: string };
      expect(output ?? error).toMatch(/^Sent\.$|^order is 9007199254740993, which JavaScript would round;/);
      return { value: { status: "finished" } };
    },
  },
  "answers a client tool with the message of an error": served({ raises: "No stock." }, { error: "No stock." }),
  "logs the error of a function with its trace": {
    replies: [agent, waits(first), accepted, finished],
    job: { method: "serve_tools", args: [id], tools: { find_order: { raises: "No stock." } } },
    expected: () => ({
      log: expect.arrayContaining([
        expect.stringMatching(
          /find_order (threw|raised) in the call 1\.1\.0(?=[^]*driver\.)[^]*CallbackError: No stock\./,
        ),
      ]),
    }),
  },
  "says at once which client tool has no function here, and names the call at the deadline": {
    replies: [agent, ...Array.from({ length: 3 }, () => waits(first, question))],
    job: { method: "serve_tools", args: [id], tools: { find_ordr: { returns: "" } }, options: { timeout: 9_000 } },
    expected: () => ({
      error: {
        name: "WaitTimeout",
        run_id: id,
        message: expect.stringContaining("; the call 1.1.0 of find_order (client_tool) has no function here"),
      },
      log: expect.toSatisfy(
        (lines: string[]) =>
          lines.filter((each) => /has no function find_order, which .* 1\.1\.0 .*: find_ordr$/.test(each)).length === 1,
      ),
    }),
  },
  "answers a client tool with the name of an error without a message": served(
    { raises: "" },
    { error: "CallbackError" },
  ),
  "answers the calls that have functions, one after the other, until the turn has ended": {
    replies: [agent, waits(approval, question, first, second), accepted, accepted, accepted, waits(approval), finished],
    job: {
      method: "serve_tools",
      args: [id],
      tools: { find_order: { returns: "Sent." }, ask_person: { returns: "Because." }, toString: { returns: "" } },
    },
    expected: (received) => {
      const posted = received.filter(({ call }) => call === postAnswer).map((each) => sent(each));
      expect(posted).toMatchObject([
        { call: question.id, output: "Because." },
        { call: first.id, output: "Sent." },
        { call: second.id, output: "Sent." },
      ]);
      return {
        called: [
          ["ask_person", { question: "Why?" }],
          ["find_order", { order: 4711 }],
          ["find_order", { order: 4711 }],
        ],
        value: { status: "finished", output: "Done." },
        sleeps: [3_000], // the approval is left to others
      };
    },
  },
  "leaves calls without a function alone, and looks again every 3 to 10 s": {
    replies: [agent, ...Array.from({ length: 5 }, () => waits(first, approval)), finished],
    job: { method: "serve_tools", args: [id], tools: { other: { returns: "" } } },
    expected: () => ({
      calls: [askAgent, ...Array.from({ length: 6 }, () => getRun)],
      called: [],
      value: { status: "finished" },
      sleeps: [3_000, 4_500, 6_750, 10_000, 10_000],
    }),
  },
  "does not repeat a function whose answer was lost": {
    replies: [
      agent,
      waits(first),
      noAnswer,
      waits(first),
      json(503, { detail: "busy" }),
      waits(first),
      accepted,
      finished,
    ],
    job: { method: "serve_tools", args: [id], tools: { find_order: { returns: "Sent." } } },
    expected: (received) => {
      const posted = received.filter(({ call }) => call === postAnswer);
      const answer = { ...named, output: "Sent." };
      expect(posted.map((each) => sent(each))).toEqual([answer, answer, answer]);
      return { called: [["find_order", { order: 4711 }]], value: { status: "finished" }, sleeps: [1_000, 2_000] };
    },
  },
  "does not mind that somebody else answered a call, nor calls its function again": {
    replies: [agent, waits(first), rejected(409, "already_answered"), waits(first), finished],
    job: { method: "serve_tools", args: [id], tools: { find_order: { returns: "Sent." } } },
    expected: () => ({
      called: [["find_order", { order: 4711 }]],
      value: { status: "finished" },
      sleeps: [3_000],
    }),
  },
  "reports an answer that is rejected": {
    replies: [agent, waits(first), rejected(409, "arguments_changed")],
    job: { method: "serve_tools", args: [id], tools: { find_order: { returns: "Sent." } } },
    expected: () => ({ error: { name: "APIError", code: "arguments_changed", run_id: id } }),
  },
  "stops serving tools at the deadline": {
    replies: [agent, ...Array.from({ length: 3 }, () => waits(approval))],
    job: { method: "serve_tools", args: [id], tools: {}, options: { timeout: 9_000 } },
    expected: () => ({ error: { name: "WaitTimeout", run_id: id }, sleeps: [3_000, 4_500, 1_500] }),
  },
  "passes each event on once while it serves tools": {
    replies: [
      agent,
      stream(runText("waiting", 1) + eventText(1)),
      waits(first),
      accepted,
      stream(runText("running", 2) + eventText(2) + end),
      finished,
    ],
    job: { method: "serve_tools", args: [id], tools: { find_order: { returns: "Sent." } }, onEvent: "record" },
    expected: (received) => {
      const streams = received.filter(({ call }) => call === getEvents);
      expect(streams.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "1"]);
      return { events: [event(1), event(2)], value: { status: "finished" }, sleeps: [] };
    },
  },
};

export const writtenTexts: Record<string, Case> = {
  "joins the text that a model writes": written(
    [delta(0, "Hel") + delta(3, "lo") + eventText(1, "model_call") + delta(0, "Next", [1, 2]) + end],
    [
      ["Hel", 1, 1],
      ["Hello", 1, 1],
      ["Next", 1, 2],
    ],
    [event(1, "model_call")],
  ),
  "begins again where a text begins again": written(
    [delta(0, "Hello") + delta(0, "Good") + delta(4, " day") + delta(4, "bye") + end],
    [
      ["Hello", 1, 1],
      ["Good", 1, 1],
      ["Good day", 1, 1],
      ["Goodbye", 1, 1],
    ],
  ),
  "counts UTF-16 code units, and joins a character whose halves come apart": written(
    [
      delta(0, "😀") +
        delta(2, "!😀") +
        `event: delta\ndata: {"turn":1,"step":1,"from":5,"text":"\\ud83d"}\n\n` +
        `event: delta\ndata: {"turn":1,"step":1,"from":6,"text":"\\ude00"}\n\n${end}`,
    ],
    [
      ["😀", 1, 1],
      ["😀!😀", 1, 1],
      [expect.stringMatching(/^😀!😀/), 1, 1],
      ["😀!😀😀", 1, 1],
    ],
  ),
  "has nothing of what the model thinks before it": written(
    [delta(0, "Let me see.", [1, 1], "thinking") + delta(0, "Hel") + delta(3, "lo") + end],
    [
      ["Hel", 1, 1],
      ["Hello", 1, 1],
    ],
  ),
  "does not show a text whose beginning is missing": written(
    [delta(3, "lo") + delta(5, "!") + delta(2, "x", [1, 2]) + delta(0, "All", [1, 3]) + delta(4, "gap", [1, 3]) + end],
    [["All", 1, 3]],
  ),
  "begins the text anew after an interruption": written(
    [delta(0, "Hel"), delta(0, "Hello") + end],
    [
      ["Hel", 1, 1],
      ["Hello", 1, 1],
    ],
  ),
  "ends with the whole text of the recorded answer, whose last parts were not sent": written(
    [delta(0, "Hel") + eventText(1, "model_call", { text: "Hello" }) + delta(3, "lo") + delta(0, "Hello") + end],
    [
      ["Hel", 1, 1],
      ["Hello", 1, 1],
    ],
    [event(1, "model_call", { text: "Hello" })],
  ),
  "has the whole text of an answer that it did not see being written, also after an interruption": written(
    [delta(0, "Hel"), eventText(1, "model_call", { text: "Hello" }) + delta(0, "Next", [1, 2]) + end],
    [
      ["Hel", 1, 1],
      ["Hello", 1, 1],
      ["Next", 1, 2],
    ],
    [event(1, "model_call", { text: "Hello" })],
  ),
  "has no text of an answer without one": written(
    [eventText(1, "model_call", { text: "" }) + end],
    [],
    [event(1, "model_call", { text: "" })],
  ),
  "does not yield the text among the events": {
    replies: [agent, stream(delta(0, "Hel") + eventText(1) + end)],
    job: { method: "events", args: [id] },
    expected: () => ({ value: [event(1)], texts: [] }),
  },
};
