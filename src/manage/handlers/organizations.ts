import { roleIn } from "../../accounts/access.ts";
import {
  clearModel,
  createOrganization,
  findOrganization,
  recordAction,
  setModel,
  setQuota,
} from "../../accounts/organizations.ts";
import {
  modelConfigurationOf,
  removeConfiguration,
  requireConfiguration,
  setConfiguration,
} from "../../accounts/model-configurations.ts";
import type { Organization } from "../../accounts/account-types.ts";
import { setMcpToolPolicy } from "../../accounts/agents/mcp-tool-policy.ts";
import { setWebFetchHosts } from "../../accounts/agents/web-fetch-hosts.ts";
import { setModelsStopped } from "../../accounts/model-stop.ts";
import { testModel } from "../../agent/models/test-model.ts";
import { ServiceError } from "../../errors.ts";
import { fileUseOfOrganization } from "../../runs/files/file-use.ts";
import { deleteOrganization } from "../../runs/erase/delete-organization.ts";
import type { ManageHandlers, Schemas } from "../call.ts";
import type { ManageDeps } from "../deps.ts";
import { manageError } from "../manage-errors.ts";
import { configurationOf, modelOf } from "../model-settings.ts";
import { byName, pageOf } from "../page.ts";
import { wireOrganization } from "../wire/organization.ts";
import { wire } from "../wire/by-schema.ts";
import { wireTokens } from "../../http/rest/wire/token-usage.ts";

/** Milliseconds until the last page of a deletion: API Gateway waits 30 s for a response. */
const maxDeletionTime = 15_000;

const nothingToSet =
  "the body sets nothing; send max_running, max_dollars_per_day, max_stored_bytes, max_pending_upload_bytes, mcp_tool_policy or models_stopped";

export function organizationHandlers(deps: ManageDeps) {
  const { accounts, secretOf, storeSecret, now, streams } = deps;
  return {
    async list_organizations({ query, principal }) {
      const listed = (await accounts.listOrganizations()).filter(({ id }) => roleIn(principal, id) !== undefined);
      const { data, next } = pageOf(listed, byName, query);
      return { data: data.map(wireOrganization), next };
    },

    create_organization: async ({ body, principal: { actor } }) =>
      wireOrganization(await createOrganization(accounts, body, actor)),
    get_organization: async ({ path }) => wireOrganization(await findOrganization(accounts, path.organization_id)),

    async get_organization_use({ path }) {
      const organization = await findOrganization(accounts, path.organization_id);
      const open = streams && { used: streams.count(organization.id) };
      return wire("Use", { ...(await fileUseOfOrganization(deps, organization)), openStreams: open });
    },

    async update_organization({ path, body, principal: { actor } }) {
      const { max_running: maxRunning, max_dollars_per_day: maxDollarsPerDay, max_stored_bytes: maxStoredBytes } = body;
      const { max_pending_upload_bytes: maxPendingUploadBytes } = body;
      const changes = {
        ...(maxRunning !== undefined && { maxRunning }),
        ...(maxDollarsPerDay !== undefined && { maxDollarsPerDay }),
        ...(maxStoredBytes !== undefined && { maxStoredBytes }),
        ...(maxPendingUploadBytes !== undefined && { maxPendingUploadBytes }),
      };
      const { mcp_tool_policy: policy, models_stopped: stopped } = body;
      const isQuota = Object.keys(changes).length > 0;
      if (!isQuota && policy === undefined && stopped === undefined)
        throw manageError("invalid_argument", nothingToSet);
      const { organization_id: id } = path;
      if (isQuota) await setQuota(accounts, id, changes, actor); // can be refused: it comes first
      if (policy !== undefined) await setMcpToolPolicy(accounts, id, policy, actor);
      if (stopped !== undefined) await setModelsStopped(accounts, id, stopped, actor);
      return wireOrganization(await findOrganization(accounts, id));
    },

    async set_model({ path, body, principal: { actor } }) {
      const organization = await findOrganization(accounts, path.organization_id);
      await modelOf(deps, organization, body, organization.model);
      // The stored secret is that of the write: another operator may have replaced it since.
      const changed = await setModel(accounts, organization.id, (stored) => configurationOf(body, stored), actor);
      return wireOrganization(changed);
    },

    clear_model: async ({ path, principal: { actor } }) =>
      wireOrganization(await clearModel(accounts, path.organization_id, actor)),

    async set_model_configuration({ path, body, principal: { actor } }) {
      const { configuration: name } = path;
      const organization = await findOrganization(accounts, path.organization_id);
      await modelOf(deps, organization, body, modelConfigurationOf(organization, name));
      const replacing = (stored: Organization["model"]) => configurationOf(body, stored);
      return wireOrganization(await setConfiguration(accounts, organization.id, name, replacing, actor));
    },

    async remove_model_configuration({ path, principal: { actor } }) {
      const changed = await removeConfiguration(accounts, path.organization_id, path.configuration, actor);
      return wireOrganization(changed);
    },

    async set_web_fetch({ path, body, principal: { actor } }) {
      const changed = await setWebFetchHosts(accounts, path.organization_id, body.hosts, actor);
      return wireOrganization(changed);
    },

    async delete_organization({ path, query, principal: { actor } }) {
      const confirmed = { name: query.name, milliseconds: maxDeletionTime };
      const done = await deleteOrganization({ ...deps, actor }, path.organization_id, confirmed);
      return done;
    },

    async list_models({ path, query, body, principal: { actor } }) {
      const organization = await findOrganization(accounts, path.organization_id);
      const settings = { ...body, ...namelessModel(body) };
      const configuration = await modelOf(deps, organization, settings, storedModel(organization, query.configuration));
      await recordAction(accounts, organization.id, "org.test-model", actor);
      const use = { organizationId: organization.id, purpose: "model" } as const;
      const { listModels } = await import("../../agent/models/list-models.ts"); // loads the SDK of the providers
      const listed = await listModels(configuration, (secret, url) => secretOf(secret, { ...use, url }));
      return {
        data: "models" in listed ? listed.models : [],
        failure: "failure" in listed ? listed.failure : null,
      };
    },

    async store_secret({ path, body: { value, hosts }, principal: { actor } }) {
      const { id } = await findOrganization(accounts, path.organization_id);
      if (!/^[\x21-\x7e]{1,8192}$/.test(value)) throw new ServiceError("invalid_argument", invalidSecret(value));
      await recordAction(accounts, id, "org.store-secret", actor);
      const secret = await storeSecret(id, path.secret_name, { value, hosts });
      return { secret };
    },

    async test_model({ path, query, body, principal: { actor } }) {
      const organization = await findOrganization(accounts, path.organization_id);
      const stored = storedModel(organization, query.configuration);
      const configuration = body ? await modelOf(deps, organization, body, stored) : stored;
      await recordAction(accounts, organization.id, "org.test-model", actor);
      const use = { organizationId: organization.id, purpose: "model" } as const;
      const { milliseconds, model, outcome } = await testModel(
        configuration,
        (secret, url) => secretOf(secret, { ...use, url }),
        now,
      );
      const failed = "failure" in outcome;
      return {
        ok: !failed,
        milliseconds,
        model: model ?? null,
        text: failed ? null : outcome.text,
        usage: failed || outcome.usage.inputTokens === 0 ? null : wireTokens(outcome.usage),
        failure: failed ? outcome.failure : null,
      };
    },
  } satisfies ManageHandlers;
}

/** The organization's model, or one of its further model configurations. Throws if there is none of this name. */
function storedModel(organization: Organization, name: string | undefined): Organization["model"] {
  return name === undefined ? organization.model : requireConfiguration(organization, name);
}

/** A name in place of none, for a provider that needs one: the list is to find it. */
function namelessModel({ provider, model }: Schemas["ModelSettings"]): { model?: string } {
  return provider !== "demo" && !model ? { model: "any" } : {};
}

/** It does not repeat the value, which may be a key with one character too many. */
function invalidSecret(value: string): string {
  const accepted = "one line of 1 to 8192 printable ASCII characters without spaces";
  return `value is not valid: expected ${accepted}, received ${value.length} characters`;
}
