import { ServiceError } from "../../errors.ts";
import type { Actor } from "../audit.ts";
import { hostPattern, maxHosts } from "../account-limits.ts";
import { modifyOrganization } from "../organizations.ts";
import type { Accounts, AgentDefinition, Organization } from "../account-types.ts";

const host = new RegExp(hostPattern);

/** Sets the hosts that `web_fetch` can reach, for agents that name none. Empty: all. Turns in progress keep the old ones. */
export function setWebFetchHosts(
  accounts: Accounts,
  id: string,
  hosts: string[],
  actor?: Actor,
): Promise<Organization> {
  const problem = hostsProblem(hosts);
  if (problem !== undefined) throw new ServiceError("invalid_argument", problem);
  return modifyOrganization(
    accounts,
    id,
    actor,
    "org.set-web-fetch",
    ({ webFetchHosts: _before, ...organization }) => ({
      ...organization,
      ...(hosts.length > 0 && { webFetchHosts: hosts }),
    }),
  );
}

/** Why a list of hosts cannot be stored. */
function hostsProblem(hosts: string[]): string | undefined {
  if (hosts.length > maxHosts) return `${hosts.length} hosts were received; at most ${maxHosts} are accepted`;
  const wrong = hosts.find((each) => !host.test(each));
  if (wrong === undefined) return undefined;
  return `${JSON.stringify(wrong)} is not a host; expected a name in lower case such as docs.example.com, or *.example.com`;
}

/** The definition with the organization's hosts of `web_fetch`, if the agent names none. */
export function withHosts(agent: AgentDefinition, hosts: string[] | undefined): AgentDefinition {
  const { tools, webFetch } = agent;
  const usesDefault = hosts && !webFetch?.hosts?.length && tools.includes("web_fetch");
  return usesDefault ? { ...agent, webFetch: { ...webFetch, hosts } } : agent;
}
