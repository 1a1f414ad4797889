import type { Organization } from "../../accounts/types.ts";
import type { ModelConfiguration } from "../../agent/model.ts";
import { configurationFields } from "../../agent/models/model-config.ts";
import { publicBaseUrl } from "../../agent/public-url.ts";
import type { Schemas } from "../call.ts";
import { timeOf } from "../../http/rest/wire/time.ts";

export function wireOrganization(organization: Organization): Schemas["Organization"] {
  const {
    id,
    name,
    model,
    models = {},
    maxRunning,
    maxDollarsPerDay,
    maxStoredBytes,
    maxPendingUploadBytes,
    webFetchHosts = [],
    mcpToolPolicy = "allow",
    modelsStopped,
    createdAt,
    updatedAt,
  } = organization;
  return {
    id,
    name,
    model: model ? wireModel(model) : null,
    models: Object.entries(models)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(wireNamedModel),
    max_running: maxRunning ?? null,
    max_dollars_per_day: maxDollarsPerDay ?? null,
    max_stored_bytes: maxStoredBytes ?? null,
    max_pending_upload_bytes: maxPendingUploadBytes ?? null,
    web_fetch_hosts: webFetchHosts,
    mcp_tool_policy: mcpToolPolicy,
    models_stopped_at: timeOf(modelsStopped?.at),
    created_at: timeOf(createdAt),
    updated_at: timeOf(updatedAt),
  };
}

function wireNamedModel([name, configuration]: [string, ModelConfiguration]): Schemas["NamedModel"] {
  return { name, ...wireModel(configuration) };
}

function wireModel(configuration: ModelConfiguration): Schemas["Model"] {
  const { model, baseUrl, secret, region, compat, idleSeconds } = configurationFields(configuration);
  return {
    provider: configuration.provider,
    enabled: configuration.enabled,
    model: model ?? null,
    base_url: baseUrl === undefined ? null : publicBaseUrl(baseUrl),
    secret: secret ?? null,
    region: region ?? null,
    compat: compat ?? null,
    idle_seconds: idleSeconds ?? null,
  };
}
