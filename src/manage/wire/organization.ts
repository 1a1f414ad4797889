import type { Organization } from "../../accounts/account-types.ts";
import type { ModelConfiguration } from "../../agent/model.ts";
import { configurationFields } from "../../agent/models/model-config.ts";
import { publicBaseUrl } from "../../agent/public-url.ts";
import type { Schemas } from "../call.ts";
import { wire } from "./by-schema.ts";

export function wireOrganization(organization: Organization): Schemas["Organization"] {
  const { model, models = {}, webFetchHosts = [], mcpToolPolicy = "allow", modelsStopped } = organization;
  const named = Object.entries(models).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return wire("Organization", {
    ...organization,
    model: model && shownModel(model),
    models: named.map(([name, configuration]) => Object.assign({ name }, shownModel(configuration))),
    webFetchHosts,
    mcpToolPolicy,
    modelsStoppedAt: modelsStopped?.at,
  });
}

function shownModel(configuration: ModelConfiguration) {
  const { provider, enabled } = configuration;
  const fields = configurationFields(configuration);
  const { baseUrl } = fields;
  return { ...fields, provider, enabled, baseUrl: baseUrl === undefined ? undefined : publicBaseUrl(baseUrl) };
}
