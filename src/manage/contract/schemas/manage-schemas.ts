import { agentDefinition } from "../../../accounts/agents/agent-schema.ts";
import { errorsOf } from "../../../error-codes.ts";
import { errorSchemas } from "../../../http/rest/schemas/errors-schemas.ts";
import { sharedSchemas } from "../../../http/rest/schemas/rest-schemas.ts";
import { agentSchemas } from "./agents-schemas.ts";
import { keySchemas } from "./keys-schemas.ts";
import { modelRequestSchemas } from "./model-requests-schemas.ts";
import { operatorSchemas } from "./operators-schemas.ts";
import { organizationSchemas } from "./organizations-schemas.ts";
import { runComparisonSchemas } from "./run-comparison-schemas.ts";
import { runSchemas } from "./runs-schemas.ts";
import { suiteSchemas } from "./suites-schemas.ts";
import { trialCaseSchemas } from "./trial-cases-schemas.ts";
import { trialSchemas } from "./trials-schemas.ts";
import { usageReportSchemas } from "./usage-schemas.ts";
import { webhookSchemas } from "./webhooks-schemas.ts";

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
