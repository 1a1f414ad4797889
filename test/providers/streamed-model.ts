import type { ServerResponse } from "node:http";
import { expect } from "vitest";
import { chatServer, chunk, send, startStream } from "./chat-completions-server.ts";

/** A model whose answers the test writes, part by part. `nextCall`: the next call, in the order of their arrival. */
export async function streamedModel() {
  const calls: ServerResponse[] = [];
  const reply = (response: ServerResponse): void => {
    startStream(response);
    calls.push(response);
  };
  const server = await chatServer(...Array.from({ length: 100 }, () => reply));
  const nextCall = async (options: { timeout?: number } = {}): Promise<ServerResponse> => {
    await expect.poll(() => calls.length, options).toBeGreaterThan(0);
    const call = calls.shift();
    if (!call) throw new Error("no model call");
    return call;
  };
  return { ...server, nextCall };
}

/** Adds to the text of an answer. */
export function writes(call: ServerResponse, text: string): void {
  send(call, chunk({ content: text }));
}

/** Ends an answer. */
export function finishes(call: ServerResponse): void {
  send(call, chunk({}, { finish_reason: "stop" }), "[DONE]");
  call.end();
}
