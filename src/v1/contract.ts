import { filesTooLarge, historyFailed } from "../errors.ts";
import {
  type Operation as DescribedOperation,
  reference,
  type ResponseEntry as DescribedResponse,
} from "../http/description.ts";
import { newRunLimits } from "../runs/begin/new-run-limits.ts";
import { headers } from "../http/response-headers.ts";
import { ValidationError } from "../http/validation/validation-error.ts";
import { runStatuses, type RunStatus } from "../runs/status.ts";

/*
 * The contract: section 2 of the specification as JSON Schema 2020-12, and its operations and errors (sections 4 and 7)
 * as a table. `scripts/generate.ts` generates the validator, the OpenAPI document and the typed client from it. Run it
 * after a change.
 */

export const PublicAgentFileInput = {
  type: "object",
  description: "A file that is put into the agent's workspace before `input_text` is processed.",
  required: ["filename", "content_base64"],
  properties: {
    filename: {
      type: "string",
      minLength: 1,
      maxLength: newRunLimits.filenameLength,
      description:
        "The name the file is saved under. Path components and leading dots are stripped; unsafe names may be shortened or sanitized.",
      examples: ["report.csv"],
    },
    content_base64: {
      type: "string",
      minLength: 1,
      contentEncoding: "base64",
      description: "The file's bytes as standard base64 with padding, without line breaks.",
      examples: ["aWQsdG90YWwKMSw5OQo="],
    },
  },
} as const;

export const PublicCreateAgentRequest = {
  type: "object",
  description: "A run to create, with its first input and files.",
  required: ["name", "template_id"],
  properties: {
    name: {
      type: "string",
      minLength: 1,
      maxLength: newRunLimits.nameLength,
      description: "Display name of the run in the service's web application.",
      examples: ["Weekly report"],
    },
    template_id: {
      type: "string",
      format: "uuid",
      description: "The ID of the agent that the API key belongs to. A cross-check: any other ID is refused with 403.",
    },
    input_text: {
      type: ["string", "null"],
      description:
        "The agent's first input. Without it the run is created, but no turn starts: the run is idle and reports `finished`.",
      examples: ["Summarize report.csv in three sentences."],
    },
    files: {
      type: "array",
      maxItems: newRunLimits.files,
      items: reference("PublicAgentFileInput"),
      description: "Combined decoded size at most 10 MiB. The input can refer to files by filename.",
    },
  },
} as const;

export const PublicCreateAgentResponse = {
  type: "object",
  description: "The run that was created.",
  required: ["agent_id"],
  properties: { agent_id: { type: "string", format: "uuid", description: "The ID of the created run." } },
};

export const TranscriptMessage = {
  type: "object",
  description: "An input that the agent accepted, or the final output of a turn.",
  required: ["role", "text"],
  properties: {
    role: {
      type: "string",
      enum: ["input_to_agent", "output_from_agent"],
      description: "`input_to_agent`: an input the agent accepted. `output_from_agent`: a turn's final output.",
    },
    text: { type: "string", description: "The message text." },
  },
};

export const PublicAgentStatusResponse = {
  type: "object",
  description: "Status and transcript of a run.",
  required: ["agent_id", "loop_status", "transcript"],
  properties: {
    agent_id: { type: "string", format: "uuid", description: "The run's ID." },
    loop_status: {
      type: "string",
      enum: runStatuses,
      description:
        "`running`: The agent is working. This includes startup. `finished`: The agent is idle. When it ended its turn normally, the output for the last input is complete. `technical_error`: The run hit an internal error. `terminated`: The run was stopped or deleted.",
    },
    transcript: {
      type: "array",
      items: reference("TranscriptMessage"),
      description: "Accepted inputs and each turn's final output, oldest first. Empty early in a run.",
    },
  },
};

export const PublicErrorResponse = {
  type: "object",
  description: "A failure other than a schema violation.",
  required: ["detail"],
  properties: { detail: { type: "string", description: "Human-readable reason for the failure." } },
};

export const HTTPValidationError = {
  type: "object",
  description: "The schema violations of a request.",
  properties: {
    detail: { type: "array", items: reference("ValidationError"), description: "One item per schema violation." },
  },
};

/** The models of section 2, by their names in the OpenAPI document. */
export const schemas = {
  PublicCreateAgentRequest,
  PublicAgentFileInput,
  PublicCreateAgentResponse,
  PublicAgentStatusResponse,
  TranscriptMessage,
  PublicErrorResponse,
  HTTPValidationError,
  ValidationError,
};

/** A valid body of `POST /v1/agents`. `template_id` is in lower case with hyphens. */
export interface CreateBody {
  name: string;
  template_id: string;
  input_text?: string | null;
  files?: { filename: string; content_base64: string }[];
}

export interface CreateResponse {
  agent_id: string;
}

export interface StatusResponse {
  agent_id: string;
  loop_status: RunStatus;
  transcript: { role: "input_to_agent" | "output_from_agent"; text: string }[];
}

type SchemaName = keyof typeof schemas;

/** A response of an operation. */
export interface ResponseEntry extends DescribedResponse<SchemaName, keyof typeof headers> {
  /** Examples of `detail`: the texts of the specification if it has any, or lists of issues. */
  details?: (string | (object & { msg: string })[])[];
}

/** An operation of v1. */
export interface Operation extends Omit<DescribedOperation<SchemaName>, "tag" | "responses"> {
  method: "GET" | "POST";
  responses: Record<number, ResponseEntry>;
}

// @__NO_SIDE_EFFECTS__
const documentedError = (description: string, ...details: string[]): ResponseEntry => ({
  description,
  bodies: ["PublicErrorResponse"],
  details,
});

const unauthorizedResponse: ResponseEntry = {
  ...documentedError(
    "No key in the `Authorization` or `X-API-Key` header, or an unknown or disabled key.",
    "Missing API key",
    "Invalid API key",
  ),
  headers: ["WWW-Authenticate"],
};

const nameTooLong = {
  type: "string_too_long",
  loc: ["body", "name"],
  msg: "String should have at most 200 characters",
  ctx: { max_length: 200 },
};
const templateIdMissing = {
  type: "missing",
  loc: ["body", "template_id"],
  msg: "Field required",
  input: { name: "Weekly report" },
};
const notSentAsJson = {
  type: "model_attributes_type",
  loc: ["body"],
  msg: "Input should be a valid dictionary or object to extract fields from",
  ctx: { error: "The Content-Type header is missing; send the body with Content-Type: application/json" },
};
const runIdInvalid = {
  type: "uuid_parsing",
  loc: ["path", "agent_id"],
  msg: "Input should be a valid UUID, invalid length: found 6",
  input: "abcdef",
  ctx: { error: "invalid length: found 6" },
};

const tooManyRequests =
  "too many requests: this key may send 100000 per second, and a list or search counts as several; repeat the request after the seconds of the header Retry-After";

export const operations: Record<"create" | "get" | "openapi", Operation> = {
  create: {
    method: "POST",
    path: "/v1/agents",
    operationId: "public_create_agent",
    summary: "Create an agent run",
    description:
      "Creates a run of the agent that the API key belongs to and answers at once; the run executes asynchronously. Files are delivered before `input_text` is processed. Not idempotent: a retry starts a second run.",
    authenticated: true,
    request: "PublicCreateAgentRequest",
    responses: {
      201: { description: "The run is created.", bodies: ["PublicCreateAgentResponse"] },
      401: unauthorizedResponse,
      403: documentedError(
        "`template_id` differs from the key's agent.",
        "API key is not valid for the requested template",
      ),
      404: documentedError("The key's agent no longer exists.", "Agent template not found"),
      408: documentedError(
        "The body did not arrive in time. No run was created.",
        "Timed out while reading the request body",
      ),
      409: documentedError(
        "The agent is archived. Unarchive it to create runs.",
        "Agent template is archived; unarchive it to create runs",
      ),
      413: documentedError("Combined decoded file size exceeds 10 MiB, or the whole body 20 MiB.", filesTooLarge),
      422: {
        description:
          "The body violates the schema (a list of issues), a file is not valid base64, or the organization has no usable inference model (a text).",
        bodies: ["HTTPValidationError", "PublicErrorResponse"],
        details: ["file 'report.csv' is not valid base64", [nameTooLong], [templateIdMissing], [notSentAsJson]],
      },
      429: {
        ...documentedError(
          "A quota of the agent or its organization is used up: too many runs wait to start, the dollars of the day are spent, or the files of all runs would have too many bytes. Or the key sends too many requests per second, or other requests with it are sending large bodies. No run was created. API Gateway can also respond with 429, with a different body and headers.",
          "1000 runs of the agent wait to start, and no more are accepted; the agent may run 5 at a time (maxRunning)",
          "the agent has reached its limit of 20 US dollars per day (maxDollarsPerDay); new inputs are accepted from midnight UTC",
          "the files of the agent's runs have 1000 bytes and would have 1100; at most 1048 are accepted (maxStoredBytes); delete runs that are no longer needed",
          "Other requests with this key are sending large bodies; retry when they have ended",
          tooManyRequests,
        ),
        headers: ["Retry-After"],
      },
      503: {
        ...documentedError(
          "The server cannot store the body now. No run was created.",
          "Not enough disk space to receive the request body; retry later",
          "Not enough disk space to store the request; nothing was stored; retry later",
        ),
        headers: ["Retry-After"],
      },
    },
  },
  get: {
    method: "GET",
    path: "/v1/agents/{agent_id}",
    operationId: "public_get_agent",
    summary: "Get an agent run",
    description:
      "A run's status and transcript. Read-only: poll it every 3 to 10 seconds while `loop_status` is `running`; any other value is the end of the wait. On 502 and 503 back off exponentially, from 1 s up to about 30 s, and keep polling.",
    authenticated: true,
    responses: {
      200: { description: "The run.", bodies: ["PublicAgentStatusResponse"] },
      401: unauthorizedResponse,
      404: documentedError(
        "The run is unknown, or belongs to another organization or another agent.",
        "Agent not found",
      ),
      422: {
        description: "`agent_id` is not a valid UUID.",
        bodies: ["HTTPValidationError"],
        details: [[runIdInvalid]],
      },
      429: {
        ...documentedError(
          "The key sends too many requests per second. API Gateway can also respond with 429, with a different body and headers.",
          tooManyRequests,
        ),
        headers: ["Retry-After"],
      },
      502: documentedError("Event-history lookup failed. Retry with backoff.", historyFailed),
      503: documentedError(
        "Event history temporarily unavailable. Retry with backoff.",
        "event history is temporarily unavailable",
      ),
    },
  },
  openapi: {
    method: "GET",
    path: "/v1/openapi.json",
    operationId: "public_get_openapi_schema",
    summary: "Download the machine-readable description",
    description: "This document. Takes no key.",
    authenticated: false,
    responses: { 200: { description: "The OpenAPI 3.1 document of this API.", bodies: [] } },
  },
};
