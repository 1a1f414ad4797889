import agentSchema from "../../../schemas/agent.schema.json" with { type: "json" };

/** Names of environments, as in agent files. Folders whose names begin with a dot are incomplete. */
export const environmentName = new RegExp(agentSchema.properties.environment.pattern);
