import { jsonResponse } from "../../http/handler.ts";
import { runDescriber } from "../../runs/read/describe-runs.ts";
import { keptAgents } from "../../runs/erase/kept-agents.ts";
import { auditedRuns } from "../audited-runs.ts";
import type { AllHandlers } from "../call.ts";
import type { ManageDeps } from "../deps.ts";
import { agentHandlers } from "./agents.ts";
import { keyHandlers } from "./keys.ts";
import { operatorHandlers } from "./operators.ts";
import { runBundleHandlers } from "./run-bundles.ts";
import { runRecordHandlers } from "./run-records.ts";
import { manageRunHandlers } from "./runs.ts";
import { suiteHandlers } from "./suites.ts";
import { trialHandlers } from "./trials.ts";
import { organizationHandlers } from "./organizations.ts";
import { webhookHandlers } from "./webhooks.ts";

/** The handlers of the management API. */
export function manageHandlers(given: ManageDeps): AllHandlers {
  const { forLists, others } = keptAgents(given.accounts, given.now);
  const deps = { ...given, accounts: others, runs: auditedRuns(given) };
  const describer = runDescriber(deps);
  return {
    get_openapi: async () => jsonResponse(200, (await import("../generated/openapi.ts")).openapiDocument),
    ...operatorHandlers(deps),
    ...manageRunHandlers(deps, describer, forLists),
    ...runRecordHandlers(deps, describer),
    ...runBundleHandlers(deps, describer),
    ...organizationHandlers(deps),
    ...agentHandlers(deps),
    ...keyHandlers(deps),
    ...webhookHandlers(deps),
    ...trialHandlers(deps),
    ...suiteHandlers(deps),
  };
}
