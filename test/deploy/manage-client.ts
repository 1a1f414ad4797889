import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";

export type ManageClient = ReturnType<typeof manageClient>;

interface Event {
  type: string;
  sequence: number | null;
}

/** A client of the management API with a token. */
export function manageClient(baseUrl: string, token: string) {
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(`${baseUrl}/manage/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  return {
    token,

    async status(method: string, path: string): Promise<number> {
      return (await send(method, path)).status;
    },

    /** Sends a request that must have this status. Resolves with the JSON of the response. */
    async call<Body = Record<string, string>>(
      method: string,
      path: string,
      body?: unknown,
      status = 200,
    ): Promise<Body> {
      const response = await send(method, path, body);
      const text = await response.text();
      expect([method, path, response.status, response.status === status ? "" : text]).toEqual([
        method,
        path,
        status,
        "",
      ]);
      return (text === "" ? {} : JSON.parse(text)) as Body;
    },

    async download(path: string): Promise<string> {
      return (await send("GET", path)).text();
    },

    /** Reads the events of a run as a stream, which it resumes, until the run has ended. */
    async eventsUntilEnd(id: string): Promise<Event[]> {
      const events: Event[] = [];
      for (let attempt = 0; attempt < 60; attempt++) {
        const headers = { accept: "text/event-stream", "last-event-id": String(events.length) };
        const response = await send("GET", `/runs/${id}/events`, undefined, headers);
        if (response.status !== 200)
          throw new Error(`the stream answered ${response.status}: ${await response.text()}`);
        let text = "";
        for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
          text += chunk;
          const blocks = text.split("\n\n");
          text = blocks.pop() ?? "";
          for (const block of blocks) {
            const [, data] = /^data: (.*)$/m.exec(block) ?? [];
            if (data === undefined) continue;
            if (/^event: event$/m.test(block)) events.push(JSON.parse(data) as Event);
            else if ((JSON.parse(data) as { status: string }).status !== "running" && events.at(-1)?.type === "output")
              return events;
          }
        }
        await sleep(500);
      }
      throw new Error(`run ${id} did not end; its events are ${JSON.stringify(events.map(({ type }) => type))}`);
    },
  };
}

/** Waits until a run has ended. */
export async function endedRun(api: ManageClient, id: string): Promise<Record<string, unknown>> {
  for (let attempt = 0; attempt < 240; attempt++) {
    const run = await api.call<Record<string, unknown>>("GET", `/runs/${id}`);
    if (run["status"] !== "running") return run;
    await sleep(250);
  }
  throw new Error(`run ${id} is still running`);
}
