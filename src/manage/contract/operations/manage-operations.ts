import { operationsFor } from "../../../operations/operations-for.ts";
import { basePath } from "../../path.ts";
import { agentOperations } from "./agents.ts";
import { keyOperations } from "./keys.ts";
import { type ManageOperation, operation, type Permission } from "./operation.ts";
import { operatorOperations } from "./operators.ts";
import { organizationOperations } from "./organizations.ts";
import { runRecordOperations } from "./run-records.ts";
import { runOperations } from "./runs.ts";
import { suiteOperations } from "./suites.ts";
import { trialOperations } from "./trials.ts";
import { webhookOperations } from "./webhooks.ts";

/** The operations of the management API by their `operationId`. */
export const operations = {
  ...operatorOperations,
  ...organizationOperations,
  ...agentOperations,
  ...keyOperations,
  ...webhookOperations,
  ...operationsFor<"manage", typeof basePath, Permission>("manage", operation),
  ...runOperations,
  ...runRecordOperations,
  ...trialOperations,
  ...suiteOperations,
  get_openapi: operation("get_openapi", {
    at: "GET /openapi.json",
    tag: "description",
    summary: "Download the machine-readable description",
    description: "This document. Takes no token.",
    authenticated: false,
    success: { description: "The OpenAPI 3.1 document of this API." },
  }),
} satisfies Record<string, ManageOperation>;

export type OperationName = keyof typeof operations;
