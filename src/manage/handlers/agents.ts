import { roleIn } from "../../accounts/access.ts";
import {
  agentHistory,
  createAgent,
  findAgent,
  findAgentVersion,
  setAgentStatus,
  updateAgent,
} from "../../accounts/agents/agents.ts";
import { deleteAgent } from "../../accounts/agents/delete-agent.ts";
import { headerSecretProblems } from "../../accounts/agents/header-secrets.ts";
import { findOrganization } from "../../accounts/organizations.ts";
import { modelConfigurationOf } from "../../accounts/model-configurations.ts";
import type { Agent, Organization } from "../../accounts/account-types.ts";
import { modelProblem } from "../../agent/models/model-config.ts";
import { InvalidRequest } from "../../http/errors.ts";
import { WithHeaders } from "../../http/rest/call.ts";
import { log } from "../../log.ts";
import { fileUseOfAgent } from "../../runs/files/file-use.ts";
import { checkedDefinition } from "../checked-definition.ts";
import { requireTried } from "../../trials/find-trial.ts";
import type { ManageHandler, ManageHandlers, Schemas } from "../call.ts";
import type { ManageDeps } from "../deps.ts";
import { environmentWarnings } from "../environment-warnings.ts";
import { byName, pageOf } from "../page.ts";
import { wireAgent, wireAgentSummary, wireDefinition, wireVersion } from "../wire/agent.ts";
import { wire } from "../wire/by-schema.ts";

export function agentHandlers(deps: ManageDeps) {
  const { accounts, streams, maxPending } = deps;
  const respond = async (agent: Agent): Promise<WithHeaders<Schemas["Agent"]>> => {
    const organization = await accounts.findOrganization(agent.organizationId);
    const warnings = agent.status === "deleted" ? [] : await warningsOf(deps, agent, organization);
    return new WithHeaders(wireAgent(agent, organization, warnings), { etag: `"${agent.revision ?? 0}"` });
  };
  const setStatus =
    (status: Agent["status"]): ManageHandler<"archive_agent"> =>
    async ({ path, principal: { actor } }) =>
      respond(await setAgentStatus(accounts, path.agent_id, status, actor));

  return {
    async list_agents({ query, principal }) {
      const { organization_id: owner, status } = query;
      const [agents, organizations] = await Promise.all([
        accounts.listAgents(owner),
        owner === undefined ? accounts.listOrganizations() : findOrganization(accounts, owner).then((one) => [one]),
      ]);
      const byId = new Map(organizations.map((each) => [each.id, each]));
      const listed = agents.filter(
        (agent) =>
          (status === undefined || agent.status === status) && roleIn(principal, agent.organizationId) !== undefined,
      );
      const { data, next } = pageOf(listed, byName, query);
      const summaries = data.map((agent) => wireAgentSummary(agent, byId.get(agent.organizationId)));
      return { data: summaries, next };
    },

    async create_agent({ body, principal: { actor } }) {
      const { id } = await findOrganization(accounts, body.organization_id);
      const definition = await checkedDefinition(deps, id, body.definition);
      return respond(await createAgent(accounts, id, definition, actor));
    },

    get_agent: async ({ path }) => respond(await findAgent(accounts, path.agent_id)),

    async get_agent_use({ path }) {
      const agent = await findAgent(accounts, path.agent_id);
      const open = streams && { used: streams.count(agent.id), limit: streams.limit };
      return wire("Use", { ...(await fileUseOfAgent(deps, agent, maxPending)), openStreams: open });
    },

    async update_agent({ path, body, principal: { actor }, request: { headers } }) {
      const ifRevision = revisionIn(headers["if-match"]);
      const { id, organizationId } = await findAgent(accounts, path.agent_id);
      const definition = await checkedDefinition(deps, organizationId, body.definition);
      const trialId = body.trial_id;
      if (trialId !== undefined) await requireTried(deps.trials, trialId, { agentId: id, definition });
      return respond(await updateAgent(accounts, id, definition, actor, { ifRevision, trialId }));
    },

    archive_agent: setStatus("archived"),
    unarchive_agent: setStatus("active"),

    async delete_agent({ path, principal: { actor } }) {
      await deleteAgent(accounts, path.agent_id, actor);
    },

    async list_agent_versions({ path, query: { limit } }) {
      const data = (await agentHistory(accounts, path.agent_id, limit)).map(wireVersion);
      return { data, next: null };
    },

    async get_agent_version({ path }) {
      const found = await findAgentVersion(accounts, path.agent_id, path.version);
      const definition = wireDefinition(found.definition);
      return { ...wireVersion(found), definition };
    },
  } satisfies ManageHandlers;
}

/**
 * Why the agent cannot start runs, or cannot use a tool. The agent is stored already, so a secret that cannot be checked
 * now, as when Secrets Manager is throttled, is a warning too.
 */
async function warningsOf(
  { secretProblem, secretRefusal, service }: ManageDeps,
  agent: Agent,
  organization: Organization | undefined,
): Promise<string[]> {
  const { organizationId, mcp = [], modelConfiguration, fallback, runModels = [] } = agent;
  const use = { organizationId, purpose: "model" } as const;
  const refusal = (secret: string, url: string) => secretRefusal(secret, { ...use, url });
  const problemOf = (name: string | undefined) => modelProblem(modelConfigurationOf(organization, name), refusal, name);
  const ofFirst = problemOf(modelConfiguration);
  const ofFallback = fallback && problemOf(fallback.modelConfiguration);
  const ofOthers = runModels.map((each) => {
    const found = problemOf(each.modelConfiguration);
    return found && `The model ${JSON.stringify(each.name)} of runModels cannot be used: ${found}`;
  });
  const problems = [ofFirst, ...ofOthers, ofFallback && `The fallback cannot be used: ${ofFallback}`];
  const check: typeof secretProblem = (secret, place) =>
    secretProblem(secret, place).catch((error: unknown) => {
      log("error", "the secret of an MCP server's header could not be checked", { organizationId, error });
      return "the secret could not be checked; read the agent again later";
    });
  return [
    ...problems.filter((problem) => problem !== undefined),
    ...(await headerSecretProblems(mcp, organizationId, check)),
    ...(await environmentWarnings(service, agent)),
  ];
}

/** The revision in `If-Match`. Undefined: any. */
function revisionIn(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === "*") return undefined;
  // A compressed response has the ETag as a weak one.
  const [, revision] = /^\s*(?:W\/)?"(\d{1,15})"\s*$/.exec(ifMatch) ?? [];
  if (revision !== undefined) return Number(revision);
  const msg = 'Input should be the `ETag` of the agent, such as "4" with its quotes, or *';
  throw new InvalidRequest([{ type: "etag_parsing", loc: ["header", "If-Match"], msg, input: ifMatch.slice(0, 200) }]);
}
