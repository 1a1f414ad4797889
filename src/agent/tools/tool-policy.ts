import type { McpToolRule, ToolRule } from "../ask-kinds.ts";
import type { Tool } from "./tool.ts";

/** Rules by the name of a tool, or by `SERVER__*` for all tools of an MCP server. The name comes first. */
export type ToolPolicy = Record<string, ToolRule>;

/**
 * The tools with the rules applied. `mcpRule`: for tools of MCP servers with effects that have no rule. A rule does not change
 * what a client tool or a question waits for.
 */
export function withPolicy(tools: Tool[], policy: ToolPolicy = {}, mcpRule: McpToolRule = "allow"): Tool[] {
  if (mcpRule === "allow" && Object.keys(policy).length === 0) return tools;
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
  const ofName = (name: string): ToolRule | undefined => (Object.hasOwn(policy, name) ? policy[name] : undefined);
  const rule = ofName(definition.name);
  if (rule !== undefined || !origin) return rule;
  const { server, tool } = origin; // the name for the model has other characters
  return (tool === undefined ? undefined : ofName(`${server}__${tool}`)) ?? ofName(`${server}__*`);
}
