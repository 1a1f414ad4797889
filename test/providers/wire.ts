import type { ServerResponse } from "node:http";
import type { Model } from "../../src/agent/model.ts";
import type { Received, Reply } from "./model-server.ts";

/** An answer, apart from how a provider's wire puts it. */
export interface Script {
  reasoning?: { text: string; signature: string };
  /** In the pieces that it is streamed in. */
  text?: string[];
  /** Arguments as JSON text, in the pieces that they are streamed in. */
  calls?: { id: string; name: string; arguments: string[] }[];
  finish?: "stop" | "calls" | "length" | "refusal";
  usage?: { input: number; output: number; cached?: number; written?: number; reasoning?: number };
}

/** A request, apart from how a provider's wire puts it. Undefined: the request has no such field. */
export interface Asked {
  streamed: boolean;
  model: string | undefined;
  instructions: string | undefined;
  tools: string[];
  temperature: unknown;
  /** What became of the reasoning effort, as the wire has it. */
  effort: unknown;
  maxOutputTokens: unknown;
  messages: AskedMessage[];
}

export interface AskedMessage {
  role: "user" | "assistant";
  parts: AskedPart[];
}

/** `file`: base64. `reasoning`: with its signature where the wire has one. */
export type AskedPart =
  | { text: string }
  | { call: string; name: string; input: unknown }
  | { result: string; text: string }
  | { file: string; mediaType: string }
  | { reasoning: string; signature?: string };

/** One provider and the wire it speaks. */
export interface Wire {
  name: string;
  /** What is sent in every request to say who calls, and may be in no failure. */
  credential: string;
  /** Whether its usage says what was written to the cache. */
  countsCacheWrites: boolean;
  open(baseUrl: string, more?: { model?: string; idleTimeout?: number }): Model;
  /** Writes the answer's head and the events of a whole answer, or those of its beginning, up to its second piece. */
  send(response: ServerResponse, script: Script, part?: "beginning"): void;
  /** Ends the answer by an error in the stream, as the provider words it when it is overloaded. */
  breakOff(response: ServerResponse, message: string): void;
  /** An error's body. */
  error(status: number, message: string): object;
  read(received: Received): Asked;
}

/** A whole streamed answer. */
export function streams(wire: Wire, script: Script): Reply {
  return (response) => {
    wire.send(response, script);
    response.end();
  };
}

/** An error as the provider words it. */
export function refuses(wire: Wire, status: number, message: string, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(wire.error(status, message)));
  };
}
