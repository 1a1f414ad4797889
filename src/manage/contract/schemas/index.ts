import { agentDefinition } from "../../../accounts/agent-schema.ts";
import { errorsOf } from "../../../error-codes.ts";
import { errorSchemas } from "../../../http/rest/schemas/errors.ts";
import { sharedSchemas } from "../../../http/rest/schemas/index.ts";
import { agentSchemas } from "./agents.ts";
import { keySchemas } from "./keys.ts";
import { modelRequestSchemas } from "./model-requests.ts";
import { operatorSchemas } from "./operators.ts";
import { organizationSchemas } from "./organizations.ts";
import { runComparisonSchemas } from "./run-comparison.ts";
import { runSchemas } from "./runs.ts";
import { suiteSchemas } from "./suites.ts";
import { trialCaseSchemas } from "./trial-cases.ts";
import { trialSchemas } from "./trials.ts";
import { usageReportSchemas } from "./usage.ts";
import { webhookSchemas } from "./webhooks.ts";

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
