import { requestOf } from "../api/operations.ts";

/** File name of an agent file: `Data analyst` → `data-analyst.json`. */
export function agentFileName(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return `${words.join("-").slice(0, 60) || "agent"}.json`;
}

/**
 * The command that stores the same definition. `admin`: how it begins. `id`: undefined for a new agent. `stack`: null on
 * one machine.
 */
export function adminCommand(
  admin: string,
  name: string,
  id: string | undefined,
  organizationId: string,
  stack: string | null = null,
): string {
  const file = `--file ${agentFileName(name)}${stack === null ? "" : ` --stack ${stack}`}`;
  return id === undefined
    ? `${admin} agent create --org ${organizationId} ${file}`
    : `${admin} agent update ${id} ${file}`;
}

/** The request that stores the definition in the file. `revision`: of the version that it replaces. */
export function curlCommand(
  name: string,
  id: string | undefined,
  organizationId: string,
  origin: string,
  revision?: number,
): string {
  const file = agentFileName(name);
  const [{ method, address }, fields] =
    id === undefined
      ? [requestOf("create_agent", {}), `{organization_id: "${organizationId}", definition: .}`]
      : [requestOf("update_agent", { agent_id: id }), "{definition: .}"];
  return [
    `jq '${fields}' ${file} |`,
    `curl -sS -X ${method} ${origin}${address} \\`,
    `  -H "Authorization: Bearer $OPERATOR_TOKEN" \\`,
    ...(revision === undefined ? [] : [`  -H 'If-Match: "${revision}"' \\`]),
    `  -H 'Content-Type: application/json' --data-binary @-`,
  ].join("\n");
}
