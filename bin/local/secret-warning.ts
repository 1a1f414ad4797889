import type { Uses } from "../../src/runs/ports.ts";
import { shownSecret } from "../../src/accounts/agents/header-secrets.ts";
import type { Accounts } from "../../src/accounts/account-types.ts";
import type { ModelConfiguration } from "../../src/agent/model.ts";
import { configurationFields, modelUrl } from "../../src/agent/models/model-config.ts";
import { hostRefused, type SecretUse } from "../../src/agent/secret.ts";
import type { SecretAllowList } from "../../src/platform/local/process/allowed-secrets.ts";

/** A secret that a configuration names, and where. `by`: such as "the model of organization ID". */
interface Use extends SecretUse {
  secret: string;
  by: string;
}

const consequences: Record<Use["purpose"], string> = {
  model: "new runs with it are rejected",
  header: "agents do not have its tools",
};

/** Warnings about models and MCP servers whose secrets the service cannot use, by the rules that their runs meet. */
export async function secretWarnings({
  accounts,
  allowList,
  secretRefusal,
}: Uses<"accounts" | "secretRefusal"> & { allowList: SecretAllowList }): Promise<string[]> {
  const refused = (await usesOf(accounts)).flatMap((use) => {
    const refusal = secretRefusal(use.secret, use);
    if (refusal === undefined) return [];
    // An option helps if it is for this reason. Keys that were entered in the console need none.
    const found = allowList.check(use.secret, use);
    const option = found?.refusal === refusal ? found.option : undefined;
    const reason = refusal === hostRefused ? hostRefused : "is not allowed";
    const cause = option === undefined ? `${shownSecret(use.secret)} ${refusal}` : `it ${reason}`;
    return [{ ...use, option, cause }];
  });
  const groups = Map.groupBy(refused, ({ purpose, cause }) => `${purpose} ${cause}`);
  return [...groups.values()].map((group) => {
    const [{ purpose, cause } = { purpose: "model" as const, cause: "" }] = group;
    const options = [...new Set(group.flatMap(({ option }) => option ?? []))];
    const remedy = options.length === 0 ? "" : `. To allow it, add: ${options.join(" ")}`;
    return `the secret of ${usersOf(group)} cannot be used, so ${consequences[purpose]}: ${cause}${remedy}`;
  });
}

function usersOf(uses: Use[]): string {
  const users = [...new Set(uses.map(({ by }) => by))];
  return (users.length > 3 ? [...users.slice(0, 3), `${users.length - 3} more`] : users).join(", ");
}

/** The secret of a model. Disabled models are not used, so their secrets are not either. */
function ofModel(organizationId: string, model: ModelConfiguration, by: string): Use[] {
  const { secret } = configurationFields(model);
  if (secret === undefined || !model.enabled) return [];
  return [{ secret, purpose: "model", url: modelUrl(model), organizationId, by }];
}

async function usesOf(accounts: Accounts): Promise<Use[]> {
  const [organizations, agents] = await Promise.all([accounts.listOrganizations(), accounts.listAgents()]);
  const ofModels = organizations.flatMap(({ id, model, models = {} }) => {
    const further = Object.entries(models).flatMap(([name, each]) =>
      ofModel(id, each, `the model configuration ${name} of organization ${id}`),
    );
    return model ? ofModel(id, model, `the model of organization ${id}`).concat(further) : further;
  });
  const ofServers = agents
    .filter(({ status }) => status !== "deleted")
    .flatMap(({ id, organizationId, mcp = [] }) =>
      mcp.flatMap(({ name, url, headers = {} }) =>
        Object.values(headers).map(({ secret }): Use => {
          const by = `the MCP server ${name} of agent ${id}`;
          return { secret, purpose: "header", url, organizationId, by };
        }),
      ),
    );
  return [...ofModels, ...ofServers];
}
