import { formatCompat } from "../../src/accounts/model-settings.ts";
import type { Organization } from "../../src/accounts/types.ts";
import type { ModelConfiguration } from "../../src/agent/model.ts";
import { configurationFields } from "../../src/agent/models/model-config.ts";
import { publicBaseUrl } from "../../src/agent/public-url.ts";
import { isoTime } from "./output.ts";

/** An organization as commands print it. */
export function organizationFields(organization: Organization) {
  const { id, name, model, models, maxRunning, maxDollarsPerDay, maxStoredBytes, webFetchHosts } = organization;
  const { maxPendingUploadBytes, mcpToolPolicy, modelsStopped, createdAt, updatedAt } = organization;
  return {
    id,
    name,
    ...modelFields(model),
    configurations: models && Object.keys(models).toSorted().join(", "),
    max_running: maxRunning,
    max_dollars_per_day: maxDollarsPerDay,
    max_stored_bytes: maxStoredBytes,
    max_pending_upload_bytes: maxPendingUploadBytes,
    web_fetch_hosts: webFetchHosts?.join(", "),
    mcp_tool_policy: mcpToolPolicy,
    models_stopped_at: modelsStopped && isoTime(modelsStopped.at),
    created_at: createdAt && isoTime(createdAt),
    updated_at: updatedAt && isoTime(updatedAt),
  };
}

/** A model configuration as commands print it. */
export function modelFields(configuration: ModelConfiguration | undefined) {
  const { provider, model, baseUrl, region, secret, compat, idleSeconds } = configuration
    ? configurationFields(configuration)
    : {};
  return {
    provider,
    enabled: configuration?.enabled,
    model,
    base_url: baseUrl === undefined ? undefined : publicBaseUrl(baseUrl),
    region,
    secret,
    compat: compat && formatCompat(compat),
    idle_seconds: idleSeconds,
  };
}
