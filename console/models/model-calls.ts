import { call } from "../api/client.ts";
import type { Organization, Schemas } from "../api/types.ts";
import { organizations, readOrganizations } from "../state/organization.ts";
import type { ModelSettings } from "./providers.ts";

export type ModelTest = Schemas["ModelTest"];

/** Shows the stored organization at once. The list is read again, but the change does not wait for it or fail with it. */
async function changed(result: Promise<Organization>): Promise<Organization> {
  const stored = await result;
  const all = organizations.value ?? [];
  const isNew = all.every(({ id }) => id !== stored.id);
  organizations.value = isNew ? [...all, stored] : all.map((each) => (each.id === stored.id ? stored : each));
  readOrganizations().catch(() => undefined);
  return stored;
}

export function createOrganization(name: string): Promise<Organization> {
  return changed(call("create_organization", {}, { body: { name } }));
}

/** Repeats the call until nothing of the organization is left. `onProgress`: called with the number of deleted runs. */
export async function deleteOrganization(
  id: string,
  name: string,
  onProgress: (runs: number) => void,
): Promise<number> {
  for (let runs = 0; ;) {
    onProgress(runs);
    const done = await call("delete_organization", { organization_id: id, name });
    runs += done.runs;
    if (!done.complete) continue;
    organizations.value = (organizations.value ?? []).filter((each) => each.id !== id);
    readOrganizations().catch(() => undefined);
    return runs;
  }
}

/** `name`: of a further model configuration. Undefined: it is the organization's model. */
export function setModel(id: string, name: string | undefined, settings: ModelSettings): Promise<Organization> {
  const organization = { organization_id: id };
  return changed(
    name === undefined
      ? call("set_model", organization, { body: settings })
      : call("set_model_configuration", { ...organization, configuration: name }, { body: settings }),
  );
}

/** `name`: as in `setModel`. */
export function removeModel(id: string, name: string | undefined): Promise<Organization> {
  const organization = { organization_id: id };
  return changed(
    name === undefined
      ? call("clear_model", organization)
      : call("remove_model_configuration", { ...organization, configuration: name }),
  );
}

/** Calls a model once. Nothing is stored. */
export function testModel(id: string, settings: ModelSettings): Promise<ModelTest> {
  return call("test_model", { organization_id: id }, { body: settings });
}

/** The names of the models that the server of the settings offers. Rejects with an `Error` for people. */
export async function listModels(id: string, settings: ModelSettings): Promise<string[]> {
  const { data, failure } = await call("list_models", { organization_id: id }, { body: settings });
  if (failure) throw new Error(`${failure.title} ${failure.remedy}`);
  return data;
}

/** Stores a key for the server of the settings of a model. `name`: as in `setModel`. Resolves with its location. */
export async function storeKey(
  { id, name }: { id: string; name: string | undefined },
  value: string,
  baseUrl: string,
): Promise<string> {
  const hosts = [hostOf(baseUrl)];
  const path = { organization_id: id, secret_name: name === undefined ? "model-key" : `model-key-${name}` };
  return (await call("store_secret", path, { body: { value, hosts } })).secret;
}

/** Where a key may be sent: the host of https, or host and port without TLS. */
function hostOf(baseUrl: string): string {
  const { protocol, host, hostname, port } = new URL(baseUrl);
  return protocol === "https:" ? host : `${hostname}:${port || 80}`;
}

export function setQuota(id: string, quota: Schemas["UpdateOrganizationRequest"]): Promise<Organization> {
  return changed(call("update_organization", { organization_id: id }, { body: quota }));
}

export async function setModelsStopped(id: string, stopped: boolean): Promise<void> {
  await changed(call("update_organization", { organization_id: id }, { body: { models_stopped: stopped } }));
}

export function setWebFetchHosts(id: string, body: Schemas["SetWebFetchRequest"]): Promise<Organization> {
  return changed(call("set_web_fetch", { organization_id: id }, { body }));
}

export function readUse(id: string, signal: AbortSignal): Promise<Schemas["Use"]> {
  return call("get_organization_use", { organization_id: id }, { signal });
}
