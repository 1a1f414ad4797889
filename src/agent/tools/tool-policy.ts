import type { McpToolRule, ToolRule } from "../ask-kinds.ts";
import type { Tool } from "./tool.ts";

/** Rules by the name of a tool, or by `SERVER__*` for all tools of an MCP server. The name comes first. */
export type ToolPolicy = Record<string, ToolRule>;

/**
 * The tools with the rules applied. `mcpRule`: for tools of MCP servers with effects that have no rule. A rule does not change
 * what a client tool or a question waits for.
 */
export function withPolicy(tools: Tool[], policy: ToolPolicy = {}, mcpRule: McpToolRule = "allow"): Tool[] {
  return tools.map((tool) => {
    switch (ruleOf(tool, policy) ?? (tool.origin && tool.hasEffects ? mcpRule : "allow")) {
      case "ask":
        return { ...tool, asks: tool.asks ?? "approval" };
      case "deny":
        return { ...tool, unavailable: `The agent's tool policy denies ${tool.definition.name}.` };
      case "allow":
        return tool;
    }
  });
}

function ruleOf({ definition, origin }: Tool, policy: ToolPolicy): ToolRule | undefined {
  const names = [
    definition.name,
    ...(origin?.tool === undefined ? [] : [`${origin.server}__${origin.tool}`]), // that of the model has other characters
    ...(origin ? [`${origin.server}__*`] : []),
  ];
  return names
    .map((name) => (Object.hasOwn(policy, name) ? policy[name] : undefined))
    .find((rule) => rule !== undefined);
}
