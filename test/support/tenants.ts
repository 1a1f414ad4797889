import { setTimeout as sleep } from "node:timers/promises";
import { createAgent } from "../../src/accounts/agents/agents.ts";
import { createKey } from "../../src/accounts/keys.ts";
import { createOrganization } from "../../src/accounts/organizations.ts";
import { setWebhook } from "../../src/accounts/webhooks.ts";
import { type Script, scriptedModel } from "../browser/scripted-model.ts";
import { openapiDocument } from "../../src/ext/generated/openapi.ts";
import { type LocalService, localService, type RestCaller, restCaller } from "./local-service.ts";
import { responseChecks } from "./rest-contract.ts";

/** An agent of an organization of its own, and what its key can do. */
export interface Tenant {
  organizationId: string;
  agentId: string;
  apiKey: string;
  call: RestCaller;
  /** Creates a run. Resolves with its id. */
  start(inputText: string, more?: object): Promise<string>;
  eventsOf(runId: string): Promise<{ type: string; text?: string }[]>;
  /** Resolves when the run is not `running` any more. */
  ended(runId: string): Promise<void>;
}

/** `organizationId`: default: a new organization. `webhook`: URL of the agent's webhook. */
interface TenantOptions {
  organizationId?: string;
  webhook?: string;
}

export interface TenantService extends LocalService {
  tenant(options?: TenantOptions): Promise<Tenant>;
}

const problemsOf = responseChecks(openapiDocument);
const limits = { steps: 10, tokens: 1e9, seconds: 600 };

/** The service of one machine in this process, with a scripted model for all organizations. */
export async function tenantService(
  script: Script,
  options: Parameters<typeof localService>[0] = {},
): Promise<TenantService> {
  const scripted = await scriptedModel(script);
  const model = { provider: "openai-compatible", enabled: true, baseUrl: scripted.baseUrl, model: "m" } as const;
  const service = await localService({ ...options, model });
  const { accounts } = service.platform;

  async function tenant({ organizationId, webhook }: TenantOptions = {}): Promise<Tenant> {
    const organization = organizationId ?? (await createOrganization(accounts, { name: "Tenant", model })).id;
    const tools = ["read_file", "search_files", "run_javascript", "run_shell"];
    const definition = { name: "Agent", instructions: "Work.", tools, limits };
    const { id: agentId } = await createAgent(accounts, organization, definition);
    const { key: apiKey } = await createKey(accounts, agentId, {});
    if (webhook !== undefined)
      await setWebhook(accounts, agentId, { url: webhook, privateAddresses: true, addresses: "local" });
    const call = restCaller(service.baseUrl, { basePath: "/ext/v1", token: apiKey, problemsOf });
    return {
      organizationId: organization,
      agentId,
      apiKey,
      call,
      async start(input_text, more = {}) {
        const { status, body } = await call<{ id: string }>("POST", "/runs", {
          body: { name: "r", input_text, ...more },
        });
        if (status !== 201) throw new Error(`create answered ${status}: ${JSON.stringify(body)}`);
        return body.id;
      },
      eventsOf: async (runId) =>
        (await call<{ data: { type: string; text?: string }[] }>("GET", `/runs/${runId}/events`)).body.data,
      async ended(runId) {
        while ((await call<{ status: string }>("GET", `/runs/${runId}`)).body.status === "running") await sleep(10);
      },
    };
  }

  return {
    ...service,
    tenant,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await scripted.close();
    },
  };
}
