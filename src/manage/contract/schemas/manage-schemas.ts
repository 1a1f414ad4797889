import { agentDefinition } from "../../../accounts/agents/agent-schema.ts";
import { errorsOf } from "../../../error-codes.ts";
import { errorSchemas } from "../../../http/rest/schemas/error-schemas.ts";
import { sharedSchemas } from "../../../http/rest/schemas/rest-schemas.ts";
import { agentSchemas } from "./agent-schemas.ts";
import { keySchemas } from "./key-schemas.ts";
import { modelRequestSchemas } from "./model-request-schemas.ts";
import { operatorSchemas } from "./operator-schemas.ts";
import { organizationSchemas } from "./organization-schemas.ts";
import { runComparisonSchemas } from "./run-comparison-schemas.ts";
import { runSchemas } from "./run-schemas.ts";
import { suiteSchemas } from "./suite-schemas.ts";
import { trialCaseSchemas } from "./trial-case-schemas.ts";
import { trialSchemas } from "./trial-schemas.ts";
import { usageReportSchemas } from "./usage-schemas.ts";
import { webhookSchemas } from "./webhook-schemas.ts";

/** The schemas of the management API by name. */
export const schemas = {
  ...operatorSchemas,
  ...organizationSchemas,
  ...agentSchemas,
  ...keySchemas,
  ...webhookSchemas,
  ...runSchemas,
  ...runComparisonSchemas,
  ...modelRequestSchemas,
  ...usageReportSchemas,
  ...trialSchemas,
  ...trialCaseSchemas,
  ...suiteSchemas,
  ...sharedSchemas,
  ...errorSchemas(errorsOf("manage")),
  AgentDefinition: agentDefinition,
};
