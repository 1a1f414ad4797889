/** An MCP server of an agent, over streamable HTTP. */
export interface McpServer {
  /** Lower case letters, digits and hyphens. The tools' names start with it. */
  name: string;
  url: string;
  /** Sent with every request. The value of a header is `prefix` and the value of the secret. */
  headers?: Record<string, { secret: string; prefix?: string }>;
  /** The names of the tools that the agent may use. Absent: all of them. */
  tools?: string[];
  /** Seconds that a call waits for its result, or for the next progress that the server reports. Default: 120. */
  seconds?: number;
  /** Whether the model reads the server's instructions. Default: true. */
  instructions?: boolean;
}
