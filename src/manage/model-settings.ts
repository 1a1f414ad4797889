import { parseModelSettings, type SettingLabels, withStoredSecret } from "../accounts/model-settings.ts";
import type { Organization } from "../accounts/account-types.ts";
import type { ModelConfiguration } from "../agent/model.ts";
import { configurationFields, modelUrl } from "../agent/models/model-config.ts";
import type { Secrets } from "../agent/secret.ts";
import { ServiceError } from "../errors.ts";
import type { Schemas } from "./call.ts";

const labels: SettingLabels = {
  provider: "provider",
  baseUrl: "base_url",
  model: "model",
  secret: "secret",
  region: "region",
  compat: "compat",
  idleSeconds: "idle_seconds",
};

/**
 * The model configuration of a request that replaces `stored`. Rejects with a ServiceError for settings that do not fit the provider, and for a
 * secret that the organization cannot use for it.
 */
export async function modelOf(
  { secretProblem }: Pick<Secrets, "secretProblem">,
  { id: organizationId }: Organization,
  request: Schemas["ModelSettings"],
  stored: ModelConfiguration | undefined,
): Promise<ModelConfiguration> {
  const configuration = configurationOf(request, stored);
  const { secret } = configurationFields(configuration);
  const use = { organizationId, purpose: "model", url: modelUrl(configuration) } as const;
  const problem = secret === undefined ? undefined : await secretProblem(secret, use);
  if (problem === undefined) return configuration;
  throw new ServiceError("invalid_argument", `the secret ${secret} cannot be used: ${problem}`);
}

/** The model configuration of a request that replaces `stored`, without a check of its secret. */
export function configurationOf(
  { enabled, ...request }: Schemas["ModelSettings"],
  stored: ModelConfiguration | undefined,
): ModelConfiguration {
  const { provider, model, base_url: baseUrl, region, compat, idle_seconds: idleSeconds, secret: named } = request;
  const given = {
    provider,
    ...present({ model, baseUrl, region, secret: named }),
    ...(compat && { compat }),
    ...(idleSeconds != null && { idleSeconds }),
  };
  const settings = named === undefined ? withStoredSecret(given, stored, labels) : given;
  return parseModelSettings(settings, labels, enabled);
}

/** Without fields that are null or missing. */
function present<Field extends string>(
  fields: Record<Field, string | null | undefined>,
): Partial<Record<Field, string>> {
  const entries = Object.entries<string | null | undefined>(fields).filter(([, value]) => value != null);
  return Object.fromEntries(entries) as Partial<Record<Field, string>>;
}
