import type { Operation } from "../../../http/description.ts";
import { agentOperations } from "./agent.ts";
import { operation } from "./operation.ts";
import { runRecordOperations } from "./run-records.ts";
import { runOperations } from "./runs.ts";
import { uploadOperations } from "./uploads.ts";

/** The operations of the extension API by their `operationId`. */
export const operations = {
  ...agentOperations,
  ...runOperations,
  ...runRecordOperations,
  ...uploadOperations,
  get_openapi: operation("get_openapi", {
    at: "GET /openapi.json",
    tag: "description",
    summary: "Download the machine-readable description",
    description: "This document. Takes no key.",
    authenticated: false,
    success: { description: "The OpenAPI 3.1 document of this API." },
  }),
} satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
