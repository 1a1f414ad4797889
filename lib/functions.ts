import { sendDeliverySeconds } from "../src/platform/aws/delivery/delivery-limits.ts";
import { advanceSeconds, failSeconds, reconcileSeconds, sweepSeconds } from "../src/workflow/policy.ts";
import { bundleDocuments } from "./bundling.ts";

/** API Gateway ends a request after 30 seconds. */
const requestSeconds = 29;

/** A read of the table and a call of SQS, which may take three attempts of 3 s each. */
const enqueueDeliverySeconds = 25;

/**
 * The service's functions by construct id; the sandbox adds its own. `memory` in MB.
 *
 * Memory follows from the peak memory, and the time for start and first response on a full vCPU, of a benchmark against
 * a local AWS endpoint (November 2026). 1,769 MB have one full vCPU; less memory means a proportional share.
 */
export const functions = {
  Advance: {
    entry: "advance",
    description: "Advances a run's turn, step by step",
    // 140 MB; 362 MB while a document of 32 MB is read, 650 MB with a text file of 200 MiB. Most of the time that is billed, it
    // waits for a model. With this share of a vCPU, start and first turn take 560 ms instead of 340, and a step 12 ms instead of 9.
    memory: 1024,
    seconds: advanceSeconds,
  },
  Documents: {
    entry: "read-document",
    description: "Reads the document in the request, or checks a result",
    memory: 1769, // one full vCPU; 280 MB with a document of 32 MB, beside the process that reads it with up to 512 MB
    write: bundleDocuments,
    seconds: 60, // 30 for the document; the start of its process, and the transfer of both messages
  },
  Fail: {
    entry: "fail",
    description: "Records why a turn failed",
    memory: 512, // 72 MB, 90 ms; no client waits for it
    seconds: failSeconds,
  },
  Reconcile: {
    entry: "reconcile",
    description: "Ends the run of an execution that failed, timed out or was aborted",
    memory: 512, // as Fail
    seconds: reconcileSeconds,
  },
  Sweep: {
    entry: "sweep",
    description: "Finds orphaned runs and ends them, and moves trials on",
    memory: 512, // 77 MB, and about 50 MB for the ids of 100,000 running runs; also holds the records of a few cases
    seconds: sweepSeconds,
  },
  EnqueueDelivery: {
    entry: "enqueue-delivery",
    description: "Enqueues new webhook deliveries",
    memory: 512, // as Fail
    seconds: enqueueDeliverySeconds,
  },
  SendDelivery: {
    entry: "send-delivery",
    description: "Sends webhook deliveries that are due",
    memory: 512, // as Fail
    seconds: sendDeliverySeconds,
  },
  Create: {
    entry: "create",
    description: "POST /v1/agents",
    memory: 1769, // 103 MB with an event of 6 MB, 120 ms: parsing and hashing are CPU-bound
    seconds: requestSeconds,
  },
  Get: {
    entry: "get",
    description: "GET /v1/agents/{agent_id}",
    memory: 1024, // 76 MB, 103 ms; 180 ms with this share of a vCPU
    seconds: requestSeconds,
  },
  ExtRead: {
    entry: "ext",
    description: "GET and HEAD /ext/v1",
    memory: 1024, // as Get
    seconds: requestSeconds,
  },
  ExtWrite: {
    entry: "ext",
    description: "Every other method of /ext/v1",
    memory: 1769, // as Create
    seconds: requestSeconds,
  },
  Mcp: {
    entry: "mcp",
    description: "/mcp: agents for MCP clients",
    memory: 512, // 93 MB, 180 ms; most of the time that is billed, it waits for runs
    seconds: requestSeconds,
  },
  Openapi: {
    entry: "openapi",
    description: "GET /v1/openapi.json",
    memory: 256, // 46 MB, 2 ms
    seconds: requestSeconds,
  },
  NotFound: {
    entry: "not-found",
    description: "Every other path and method: 404 and 405",
    memory: 256, // as Openapi
    seconds: requestSeconds,
  },
  Definitions: {
    entry: "definitions",
    description: "Custom resources: organizations, agents and keys of the app",
    memory: 512, // as Fail
    seconds: 120, // two reads and a write of the table, and 20 for a permission that has no effect yet
  },
} as const;
