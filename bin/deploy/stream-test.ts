import { type IncomingMessage, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { streamCheckMilliseconds, streamCheckPath } from "../../src/http/server/stream-check.ts";

/** What became of the request for a response in two parts, which the server sends a second apart. */
export interface StreamOutcome {
  /** Whether the first part arrived while the second was not sent. */
  passed: boolean;
  /** What arrived, for people. */
  detail: string;
}

const timeoutMilliseconds = 20_000;

/**
 * Asks for a response in two parts, and checks that they arrive apart: a server or an edge that collects a response before it
 * passes it on would keep the events of a run for 14 minutes. Never rejects.
 */
export async function testStream(baseUrl: URL): Promise<StreamOutcome> {
  const url = new URL(streamCheckPath, baseUrl);
  try {
    const response = await get(url);
    const arrivals: number[] = [];
    for await (const _ of response) arrivals.push(performance.now());
    if (response.statusCode !== 200) return failed(`status ${response.statusCode}`);
    const apart = Math.round((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0));
    if (apart < streamCheckMilliseconds / 2)
      return failed(`a response that was collected: its parts arrived ${apart} ms apart`);
    return { passed: true, detail: `its parts arrived ${(apart / 1_000).toFixed(1)} s apart` };
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

function failed(detail: string): StreamOutcome {
  return { passed: false, detail };
}

function get(url: URL): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? httpsRequest : httpRequest;
    const request = send(url, { agent: false, headers: { accept: "text/event-stream" } }, resolve);
    request.setTimeout(timeoutMilliseconds, () =>
      request.destroy(new Error(`nothing arrived for ${timeoutMilliseconds / 1_000} s`)),
    );
    request.on("error", reject).end();
  });
}
