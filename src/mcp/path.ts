/** Where the MCP endpoint is, on both platforms. */
export const mcpPath = "/mcp";
