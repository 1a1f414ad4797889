import type { McpServer } from "../../agent/mcp/mcp-types.ts";
import type { Secrets } from "../../agent/secret.ts";

/** A header's secret to show to people. One that is not a location may be a pasted key: it is hidden. */
export function shownSecret(secret: string): string {
  return /^(env|file|secretsmanager):./.test(secret) ? secret : "hidden: not a location such as env:NAME";
}

/** Checks the secrets of MCP servers' headers. Returns a clause for each that the organization cannot use. */
export async function headerSecretProblems(
  servers: McpServer[],
  organizationId: string,
  secretProblem: Secrets["secretProblem"],
): Promise<string[]> {
  const problems = servers.flatMap(({ name, url, headers = {} }) =>
    Object.entries(headers).map(async ([header, { secret }]) => {
      const problem = await secretProblem(secret, { organizationId, url, purpose: "header" });
      return problem && `the secret of the header ${header} of the MCP server ${name} cannot be used: ${problem}`;
    }),
  );
  return (await Promise.all(problems)).filter((problem) => problem !== undefined);
}
