// What `agent-run-service/cdk` exports.
export { AgentRunService } from "./agent-run-service.ts";
export type { AgentRunServiceProps } from "./service-props.ts";
export { Agent, type AgentProps, ApiKey, type ApiKeyProps, type ModelProps } from "./definitions.ts";
export { Organization, type OrganizationProps } from "./definitions.ts";
