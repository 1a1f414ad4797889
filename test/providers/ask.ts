import type { Failure, Message, ModelAnswer, ModelOutcome, ModelRequest } from "../../src/agent/model.ts";
import { listFiles, readFile } from "../../src/agent/tools/definitions.ts";
import { modelServer, type Reply } from "./model-server.ts";
import type { Wire } from "./wire.ts";

export const tools = [readFile, listFiles];

export function request(more: Partial<ModelRequest> = {}): ModelRequest {
  const messages: Message[] = [{ role: "user", text: "Hello" }];
  return { instructions: "Be brief.", messages, tools, signal: new AbortController().signal, ...more };
}

/** One call against a server that gives these replies. `asked`: what it was asked, apart from the wire. */
export async function ask(
  wire: Wire,
  replies: Reply | Reply[],
  more: Partial<ModelRequest> = {},
  settings: Parameters<Wire["open"]>[1] = {},
) {
  await using server = await modelServer(...[replies].flat());
  const outcome = await wire.open(server.baseUrl, settings)(request(more));
  return { outcome, received: server.received, asked: server.received.map((each) => wire.read(each)) };
}

export function answerOf(outcome: ModelOutcome): ModelAnswer {
  if ("failure" in outcome) throw new Error(outcome.failure.title);
  return outcome.answer;
}

export function failureOf(outcome: ModelOutcome): Failure {
  if ("answer" in outcome) throw new Error("an answer instead of a failure");
  return outcome.failure;
}
