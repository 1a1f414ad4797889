import { createAgent } from "../../src/accounts/agents/agents.ts";
import { createKey } from "../../src/accounts/keys.ts";
import { openapiDocument } from "../../src/ext/generated/openapi.ts";
import { type LocalService, localService, type RestCaller, restCaller } from "./local-service.ts";
import { responseChecks } from "./rest-contract.ts";

/** The service of one machine in this process, with callers of its extension API. */
export interface ExtService extends LocalService {
  /** Sends a request below `/ext/v1` with the key of the starter agent. */
  call: RestCaller;
  /** An agent of the same organization, with a key. */
  stranger: { agentId: string; apiKey: string; call: RestCaller };
}

const problemsOf = responseChecks(openapiDocument);

export async function extService(options: Parameters<typeof localService>[0] = {}): Promise<ExtService> {
  const service = await localService(options);
  const { baseUrl, apiKey, templateId, platform } = service;
  const callerWith = (token: string): RestCaller => restCaller(baseUrl, { basePath: "/ext/v1", token, problemsOf });
  const { organizationId = "" } = (await platform.accounts.findAgent(templateId)) ?? {};
  const limits = { steps: 10, tokens: 100_000, seconds: 60 };
  const definition = { name: "Stranger", instructions: "", tools: [], limits };
  const { id: agentId } = await createAgent(platform.accounts, organizationId, definition);
  const { key } = await createKey(platform.accounts, agentId, {});
  const stranger = { agentId, apiKey: key, call: callerWith(key) };
  return { ...service, call: callerWith(apiKey), stranger };
}
