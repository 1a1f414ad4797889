import type { Failure, Message, ModelAnswer, ModelOutcome, ModelRequest } from "../../src/agent/model.ts";
import { listFiles, readFile } from "../../src/agent/tools/definitions.ts";
import { modelServer, type Reply } from "./model-server.ts";
import type { ProviderFixture } from "./provider-fixture.ts";

export const tools = [readFile, listFiles];

export function request(more: Partial<ModelRequest> = {}): ModelRequest {
  const messages: Message[] = [{ role: "user", text: "Hello" }];
  return { instructions: "Be brief.", messages, tools, signal: new AbortController().signal, ...more };
}

/** Calls a model once, against a server that gives these replies. `sent`: the requests, independent of the provider. */
export async function callModel(
  provider: ProviderFixture,
  replies: Reply | Reply[],
  more: Partial<ModelRequest> = {},
  settings: Parameters<ProviderFixture["open"]>[1] = {},
) {
  await using server = await modelServer(...[replies].flat());
  const outcome = await provider.open(server.baseUrl, settings)(request(more));
  return { outcome, received: server.received, sent: server.received.map((each) => provider.read(each)) };
}

export function answerOf(outcome: ModelOutcome): ModelAnswer {
  if ("failure" in outcome) throw new Error(outcome.failure.title);
  return outcome.answer;
}

export function failureOf(outcome: ModelOutcome): Failure {
  if ("answer" in outcome) throw new Error("an answer instead of a failure");
  return outcome.failure;
}
