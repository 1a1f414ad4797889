import { visibleLine } from "./visible.ts";

/** The MCP server of a tool, and the tool's own name. No server: a tool of the service. */
function partsOf(name: string): { server?: string; tool: string } {
  const [, server, tool] = /^(.+?)__(.+)$/s.exec(name) ?? [];
  if (server === undefined || tool === undefined) return { tool: visibleLine(name, 60) };
  return { server: visibleLine(server, 20), tool: visibleLine(tool, 60) };
}

/** `run_shell`, or "github › search" for a tool of an MCP server. */
export function toolLabel(name: string): string {
  const { server, tool } = partsOf(name);
  return server === undefined ? tool : `${server} › ${tool}`;
}

/** The name of a tool. Its title is the name that the model uses. */
export function ToolName({ name }: { name: string }) {
  const { server, tool } = partsOf(name);
  return (
    <bdi class="mono" title={visibleLine(name)}>
      {server !== undefined && <span class="server">{server} › </span>}
      {tool}
    </bdi>
  );
}
