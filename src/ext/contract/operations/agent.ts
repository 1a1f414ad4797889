import { operation } from "./operation.ts";

export const agentOperations = {
  get_agent: operation("get_agent", {
    at: "GET /agent",
    tag: "agent",
    summary: "Get the key's agent",
    description: "The agent that the key belongs to, and what this service accepts.",
    success: { description: "The agent.", body: "Agent" },
  }),
};
