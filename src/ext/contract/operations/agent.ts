import { operation } from "./operation.ts";
import { templateId } from "./parameters.ts";

export const agentOperations = {
  get_agent: operation("get_agent", {
    at: "GET /agent",
    tag: "agent",
    summary: "Get the key's agent",
    description: "An agent of the key, and what this service accepts.",
    query: { template_id: templateId("the key's first one that is not deleted") },
    success: { description: "The agent.", body: "Agent" },
    errors: ["template_mismatch"],
  }),
};
