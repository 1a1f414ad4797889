import { agentSchemas } from "./agents.ts";
import { errorSchemas } from "./errors.ts";
import { eventSchemas } from "./events.ts";
import { keySchemas } from "./keys.ts";
import { operatorSchemas } from "./operators.ts";
import { organizationSchemas } from "./organizations.ts";
import { runSchemas } from "./runs.ts";
import { usageSchemas } from "./usage.ts";

/** The schemas of the management API by name. `AgentDefinition` is missing: it is `schemas/agent.schema.json`. */
export const schemas = {
  ...operatorSchemas,
  ...organizationSchemas,
  ...agentSchemas,
  ...keySchemas,
  ...runSchemas,
  ...eventSchemas,
  ...usageSchemas,
  ...errorSchemas,
};
