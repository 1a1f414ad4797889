import type { Accounts } from "../../src/accounts/types.ts";
import { configurationFields, modelUrl } from "../../src/agent/models/model-config.ts";
import type { SecretAllowList } from "../../src/platform/local/process/allowed-secrets.ts";

/** A warning when models or MCP servers use secrets that are not allowed, as data of earlier versions may. */
export async function notAllowedWarning(accounts: Accounts, allowList: SecretAllowList): Promise<string | undefined> {
  const [organizations, agents] = await Promise.all([accounts.listOrganizations(), accounts.listAgents()]);
  const uses = [
    ...organizations.flatMap(({ id, model }) => {
      const { secret } = model ? configurationFields(model) : {};
      return model && secret !== undefined
        ? [{ secret, purpose: "model" as const, url: modelUrl(model), by: `the model of organization ${id}` }]
        : [];
    }),
    ...agents
      .filter(({ status }) => status !== "deleted")
      .flatMap(({ id, mcp = [] }) =>
        mcp.flatMap(({ name, url, headers = {} }) =>
          Object.values(headers).map(({ secret }) => ({
            secret,
            purpose: "header" as const,
            url,
            by: `the MCP server ${name} of agent ${id}`,
          })),
        ),
      ),
  ];
  const refused = uses.flatMap(({ by, secret, ...use }) => {
    const option = allowList.check(secret, use)?.option;
    return option === undefined ? [] : [{ by, option }];
  });
  if (refused.length === 0) return undefined;
  const users = [...new Set(refused.map(({ by }) => by))];
  const shown = users.length > 3 ? [...users.slice(0, 3), `${users.length - 3} more`] : users;
  const options = [...new Set(refused.map(({ option }) => option))];
  return `${shown.join(", ")}: the secrets are not allowed, so their runs fail. To allow them, add: ${options.join(" ")}`;
}
