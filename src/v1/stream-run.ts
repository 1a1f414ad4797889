import type { PiecewiseRun, TranscriptPiece } from "../runs/run-types.ts";
import type { StatusResponse } from "./contract.ts";
import type { ApiResponse, StreamBody } from "../http/handler.ts";

/** Characters that are collected before they are sent. */
const chunkLength = 32 * 1024;

/** The response with a large run: the same JSON as that of `StatusResponse`, written while the transcript is read. */
export function streamedRun({ run, pieces }: PiecewiseRun): ApiResponse & { body: StreamBody } {
  const start = JSON.stringify({ agent_id: run.id, loop_status: run.status, transcript: [] } satisfies StatusResponse);
  const body = (): AsyncIterable<string> => inChunks(jsonOf(start, pieces));
  return { status: 200, headers: { "content-type": "application/json" }, body };
}

/** `start`: the JSON with an empty list at its end, which gets the messages. */
async function* jsonOf(start: string, pieces: AsyncIterable<TranscriptPiece>): AsyncGenerator<string> {
  yield start.slice(0, -"]}".length);
  let last = -1;
  for await (const { index, role, text } of pieces) {
    if (index !== last) yield `${last < 0 ? "" : '"},'}{"role":"${role}","text":"`;
    yield JSON.stringify(text).slice(1, -1);
    last = index;
  }
  yield `${last < 0 ? "" : '"}'}]}`;
}

async function* inChunks(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = "";
  for await (const part of parts) {
    chunk += part;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}
