import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Reply, type Request, server, textResult, use } from "./legacy-server.ts";

/** Begins an event stream and sends these events. */
function stream(response: ServerResponse, ...events: string[]): ServerResponse {
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(events.map((event) => `${event}\n\n`).join(""));
  return response;
}

const answer = (id: unknown, text: string): string =>
  `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: textResult(text) })}`;

/** A server that closes the stream of a call after an event with an id. `get` answers later requests for it. */
function closing(get: (response: ServerResponse, id: unknown, asked: number) => void) {
  const lastIds: string[] = [];
  let call: unknown;
  const { listener } = server({
    call(response, { id }) {
      call = id;
      stream(response, "id: e1\nretry: 100\ndata: ").end();
    },
    get(response, lastId) {
      if (lastId === undefined) return void response.writeHead(405).end();
      get(response, call, lastIds.push(lastId));
    },
  });
  return { listener, lastIds };
}

const noAnswer = (reason: string): object[] => [
  { text: expect.stringMatching(`^The MCP server s did not answer the call: .*${reason}`), error: true },
];

describe("a server that closes the stream of a call", () => {
  it("is asked for the answer with the id of its last event", async () => {
    const { listener, lastIds } = closing((response, id) => stream(response, `id: e2\n${answer(id, "Late.")}`).end());
    expect((await use(listener)).outputs).toEqual([{ text: "Late." }]);
    expect(lastIds).toEqual(["e1"]);
  });

  it("is asked again as long as it closes, also without a new id", async () => {
    const { listener, lastIds } = closing((response, id, asked) => {
      if (asked < 3) stream(response, asked === 1 ? "retry: 100\ndata: " : "id: e3\ndata: ").end();
      else stream(response, answer(id, "Late.")).end();
    });
    expect((await use(listener)).outputs).toEqual([{ text: "Late." }]);
    expect(lastIds).toEqual(["e1", "e1", "e3"]);
  });

  it("fails the call at once when it cannot be asked again", async () => {
    const { listener, lastIds } = closing((response) => response.writeHead(404).end());
    const { outputs } = await use(listener);
    expect(outputs).toEqual(noAnswer("HTTP 404.*Its effect is unknown"));
    expect(lastIds).toEqual(["e1"]);
  });

  it.each<[string, Reply, string]>([
    ["ended", (response) => void stream(response, ": here").end(), "closed the stream without an answer"],
    [
      "broke off",
      (response) => void stream(response).write(": here\n\n", () => response.destroy()),
      "its answer broke off",
    ],
  ])("fails the call at once when the stream %s without an id", async (_, call, reason) => {
    expect((await use(server({ call }).listener)).outputs).toEqual(noAnswer(`${reason}.*Its effect is unknown`));
  });
});

/** Time passes only as the server lets it. `begun`: the waits of so many seconds that have begun. */
function heldClock() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const held = globalThis.setTimeout;
  const waits: unknown[] = [];
  // No spy: `restoreAllMocks` in another file of the worker would bring the held clock back.
  globalThis.setTimeout = Object.assign((...args: Parameters<typeof setTimeout>) => {
    waits.push(args[1]);
    return held(...args);
  }, held);
  return {
    pass: (seconds: number): void => void vi.advanceTimersByTime(seconds * 1_000),
    begun: (seconds: number): number => waits.filter((wait) => wait === seconds * 1_000).length,
  };
}

describe("a slow call", () => {
  it("ends when the server is silent for the seconds of the agent file, with an unknown effect", async () => {
    const { pass } = heldClock();
    const { listener } = server({
      call(response) {
        stream(response, ": here");
        pass(7);
      },
    });
    const { outputs } = await use(listener, 1, { seconds: 7 });
    expect(outputs).toEqual(noAnswer("neither a result nor progress for 7 seconds. Its effect is unknown"));
  });

  it("continues while the server reports progress", async () => {
    const { pass, begun } = heldClock();
    async function reportProgress(response: ServerResponse, { id, params }: Request): Promise<void> {
      stream(response, ": here");
      for (let progress = 1; progress <= 3; progress++) {
        pass(5);
        const reported = { progressToken: params?._meta?.progressToken, progress };
        response.write(
          `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: reported })}\n\n`,
        );
        while (begun(7) <= progress) await setImmediate(); // until the client has received it
      }
      stream(response, answer(id, "Done.")).end();
    }
    const { listener } = server({ call: (response, request) => void reportProgress(response, request) });
    expect((await use(listener, 1, { seconds: 7 })).outputs).toEqual([{ text: "Done." }]);
  });
});
