/** Where the MCP endpoint is, on both platforms. */
export const mcpPath = "/mcp";

/** Whether a path is that of the endpoint: some clients add a slash. */
export function isMcpPath(path: string): boolean {
  return path === mcpPath || path === `${mcpPath}/`;
}
