/*
 * What the contracts show of calls that wait for answers. The page infers its types from the contracts: this file imports
 * nothing.
 */

/**
 * What a tool call can wait for: an `approval` before it runs, the program of the caller that runs a `client_tool`, or a
 * person's answer to a `question`.
 */
export const askKinds = ["approval", "client_tool", "question"] as const;
export type AskKind = (typeof askKinds)[number];

/** What happens before a tool runs: nothing, it waits for an approval, or the model is not offered it. */
export const toolRules = ["allow", "ask", "deny"] as const;
export type ToolRule = (typeof toolRules)[number];

/** The rule for tools of MCP servers with effects: those without `readOnlyHint`. An agent's own rules come first. */
export const mcpToolRules = ["allow", "ask"] as const satisfies ToolRule[];
export type McpToolRule = (typeof mcpToolRules)[number];
