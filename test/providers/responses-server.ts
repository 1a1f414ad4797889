import type { ServerResponse } from "node:http";
import type { Reply } from "./model-server.ts";

export type Item = Record<string, unknown>;

/** An event of the stream of a response. */
export interface ResponseEvent {
  type: string;
  [field: string]: unknown;
}

/** The usage of a response, as the API reports it. */
export function usageOf({
  input = 10,
  output = 5,
  cached = 0,
  written,
  reasoning = 0,
}: { input?: number; output?: number; cached?: number; written?: number; reasoning?: number } = {}): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, ...(written !== undefined && { cache_write_tokens: written }) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

/** A response object. `output`: complete items. */
export function responseOf(output: Item[], more: object = {}): Item {
  return {
    id: "resp_1",
    object: "response",
    created_at: 1_760_000_000,
    status: "completed",
    error: null,
    incomplete_details: null,
    model: "m-2026-01-01",
    output,
    store: false,
    usage: usageOf(),
    ...more,
  };
}

export const reasoningItem = (id: string, encrypted: string | undefined, ...summary: string[]): Item => ({
  id,
  type: "reasoning",
  summary: summary.map((text) => ({ type: "summary_text", text })),
  ...(encrypted !== undefined && { encrypted_content: encrypted }),
});

export const messageItem = (id: string, text: string, more: object = {}): Item => ({
  id,
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }],
  ...more,
});

export const callItem = (call_id: string, name: string, args: string, more: object = {}): Item => ({
  id: `fc_${call_id}`,
  type: "function_call",
  status: "completed",
  call_id,
  name,
  arguments: args,
  ...more,
});

/** The events of one item. `pieces`: of its text or arguments. */
export function itemEvents(output_index: number, item: Item, pieces: string[] = []): ResponseEvent[] {
  const place = { output_index, item_id: item["id"] };
  const added = (begun: Item): ResponseEvent => ({
    type: "response.output_item.added",
    output_index,
    item: { ...item, ...begun, status: "in_progress" },
  });
  const done: ResponseEvent = { type: "response.output_item.done", output_index, item };
  switch (item["type"]) {
    case "message": {
      const part = { type: "output_text", text: "", annotations: [] };
      const deltas = pieces.map((delta) => ({ type: "response.output_text.delta", ...place, content_index: 0, delta }));
      const text = pieces.join("");
      return [
        added({ content: [] }),
        { type: "response.content_part.added", ...place, content_index: 0, part },
        ...deltas,
        { type: "response.output_text.done", ...place, content_index: 0, text },
        { type: "response.content_part.done", ...place, content_index: 0, part: { ...part, text } },
        done,
      ];
    }
    case "function_call":
      return [
        added({ arguments: "" }),
        ...pieces.map((delta) => ({ type: "response.function_call_arguments.delta", ...place, delta })),
        { type: "response.function_call_arguments.done", ...place, arguments: item["arguments"] },
        done,
      ];
    default: {
      const summary = item["summary"] as { text: string }[];
      const texts = summary.flatMap(({ text }, summary_index): ResponseEvent[] => [
        { type: "response.reasoning_summary_part.added", ...place, summary_index, part: { type: "summary_text" } },
        { type: "response.reasoning_summary_text.delta", ...place, summary_index, delta: text },
        { type: "response.reasoning_summary_text.done", ...place, summary_index, text },
      ]);
      return [added({ summary: [], encrypted_content: null }), ...texts, done];
    }
  }
}

/** All events of a response whose items arrive whole. */
export function eventsOf(items: Item[], more: object = {}): ResponseEvent[] {
  const response = responseOf(items, more);
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  return [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...items.flatMap((item, index) => itemEvents(index, item, piecesOf(item))),
    { type: `response.${String(response["status"])}`, response },
  ];
}

function piecesOf({ type, content, arguments: args }: Item): string[] {
  if (type === "function_call") return [String(args)];
  return type === "message" ? (content as { text: string }[]).map(({ text }) => text) : [];
}

export function startStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
}

export function sendEvents(response: ServerResponse, ...events: ResponseEvent[]): void {
  for (const [sequence_number, event] of events.entries()) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`);
  }
}

/** Streams these events. */
export function streams(...events: ResponseEvent[]): Reply {
  return (response) => {
    startStream(response);
    sendEvents(response, ...events);
    response.end();
  };
}

/** Streams a response of these items. */
export function responds(items: Item[], more: object = {}): Reply {
  return streams(...eventsOf(items, more));
}
