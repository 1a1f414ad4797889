import { forAgent } from "../../accounts/authenticate.ts";
import { agentsOf } from "../../accounts/key-agents.ts";
import { modelNameOf } from "../../accounts/agents/model-name.ts";
import { agentNotFound, ServiceError } from "../../errors.ts";
import type { ExtHandlers } from "../call.ts";
import type { ExtDeps } from "../deps.ts";

export function keyAgentHandlers({ accounts, pendingUploads, limits: accepted, wait }: ExtDeps) {
  return {
    async get_agent({ principal, query }) {
      const [first] = agentsOf(principal);
      const owner = forAgent(principal, query.template_id ?? first);
      const { agentId, organizationId } = owner;
      const [agent, organization, webhook, pending] = await Promise.all([
        accounts.findAgent(agentId),
        accounts.findOrganization(organizationId),
        accounts.findWebhookState(agentId),
        accepted.pending && pendingUploads.pendingUse(owner),
      ]);
      if (!agent || agent.status === "deleted") throw new ServiceError("agent_deleted", agentNotFound);
      const { id, name, status, tools, limits, runLimits = {}, result, clientTools = [], runModels = [] } = agent;
      return {
        id,
        name,
        status,
        model: modelNameOf(agent, organization) ?? null,
        tools,
        client_tools: clientTools,
        run_models: runModels.map((each) => each.name),
        limits: { turn: { ...limits }, run: { ...runLimits } },
        result: { schema: result?.schema ?? null, per_run: result?.perRun ?? false },
        max_inline_bytes: accepted.inlineBytes,
        wait_seconds: wait.clientSeconds,
        max_upload_bytes: accepted.uploadBytes,
        pending_uploads:
          pending && accepted.pending
            ? { ...pending.agent, max_uploads: accepted.pending.uploads, max_bytes: accepted.pending.bytes }
            : null,
        webhook: { configured: webhook?.configured ?? false },
        key_agents: agentsOf(principal),
      };
    },
  } satisfies ExtHandlers;
}
