import type { ServerResponse } from "node:http";
import type { Model } from "../../src/agent/model.ts";
import type { Received, Reply } from "./model-server.ts";

/** A model response, independent of the provider's API. */
export interface ScriptedResponse {
  reasoning?: { text: string; signature: string };
  /** In streamed parts. */
  text?: string[];
  /** `arguments`: JSON text in streamed parts. */
  calls?: { id: string; name: string; arguments: string[] }[];
  finish?: "stop" | "calls" | "length" | "refusal";
  usage?: { input: number; output: number; cached?: number; written?: number; reasoning?: number };
}

/** A request, independent of the provider's API. Undefined: the request has no such field. */
export interface SentRequest {
  streamed: boolean;
  model: string | undefined;
  instructions: string | undefined;
  tools: string[];
  temperature: unknown;
  /** The reasoning effort in the provider's own format. */
  effort: unknown;
  maxOutputTokens: unknown;
  messages: SentMessage[];
}

export interface SentMessage {
  role: "user" | "assistant";
  parts: SentPart[];
}

/** `file`: base64. `signature`: if the provider signs its reasoning. */
export type SentPart =
  | { text: string }
  | { call: string; name: string; input: unknown }
  | { result: string; text: string }
  | { file: string; mediaType: string }
  | { reasoning: string; signature?: string };

/** Opens models of one provider and plays its server. */
export interface ProviderFixture {
  name: string;
  /** Sent with every request. It must not appear in a failure. */
  credential: string;
  /** Whether the usage includes tokens written to the prompt cache. */
  countsCacheWrites: boolean;
  open(baseUrl: string, more?: { model?: string; idleTimeout?: number }): Model;
  /** Sends the head and all events of a response, or the events up to the second part of its text. */
  send(response: ServerResponse, script: ScriptedResponse, part?: "beginning"): void;
  /** Ends the response with an overload error in the stream, in the provider's format. */
  sendError(response: ServerResponse, message: string): void;
  /** Body of an error response. */
  error(status: number, message: string): object;
  read(received: Received): SentRequest;
}

/** Streams a complete response. */
export function streamsResponse(provider: ProviderFixture, script: ScriptedResponse): Reply {
  return (response) => {
    provider.send(response, script);
    response.end();
  };
}

/** Rejects the request with an error in the provider's format. */
export function rejects(
  provider: ProviderFixture,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Reply {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(provider.error(status, message)));
  };
}
