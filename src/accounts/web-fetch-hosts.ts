import agentSchema from "../../schemas/agent.schema.json" with { type: "json" };

/** Lists of hosts that `web_fetch` can reach, as in agent files. */
export const { maxItems: maxHosts, items: hostSchema } = agentSchema.properties.webFetch.properties.hosts;

const host = new RegExp(hostSchema.pattern);

/** Why a list of hosts cannot be stored. */
export function hostsProblem(hosts: string[]): string | undefined {
  if (hosts.length > maxHosts) return `${hosts.length} hosts were received; at most ${maxHosts} are accepted`;
  const wrong = hosts.find((each) => !host.test(each));
  if (wrong === undefined) return undefined;
  return `${JSON.stringify(wrong)} is not a host; expected a name in lower case such as docs.example.com, or *.example.com`;
}
