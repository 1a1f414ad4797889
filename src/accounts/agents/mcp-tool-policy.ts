import type { McpToolRule } from "../../agent/ask-kinds.ts";
import type { Actor } from "../audit.ts";
import { modifyOrganization } from "../organizations.ts";
import type { Accounts, Organization } from "../account-types.ts";

/**
 * Sets what happens before a tool of an MCP server with effects runs, if its agent has no rule for it. Turns in progress keep
 * the old value.
 */
export function setMcpToolPolicy(
  accounts: Accounts,
  id: string,
  policy: McpToolRule,
  actor?: Actor,
): Promise<Organization> {
  return modifyOrganization(
    accounts,
    id,
    actor,
    "org.set-mcp-tools",
    ({ mcpToolPolicy: _before, ...organization }) => ({
      ...organization,
      ...(policy !== "allow" && { mcpToolPolicy: policy }),
    }),
  );
}
