import { headers } from "../../http/response-headers.ts";
import type { ApiDescription } from "../../http/description.ts";
import { downloadedHeaders, replayedHeader } from "../../http/rest/parameters.ts";
import { operations } from "./operations/manage-operations.ts";
import { pathParameters } from "./operations/parameters.ts";
import { schemas } from "./schemas/manage-schemas.ts";

/** The description of the management API. */
export const manageApi: ApiDescription = {
  info: {
    title: "Management API",
    version: "1.0",
    description:
      "Everything that an operator does: organizations and their models, agents, keys, and the runs of all agents. The console uses it. `HEAD` is answered as `GET`, without the body, and `OPTIONS` with the methods of a path in `Allow`.",
  },
  tags: [
    { name: "operators", description: "Who may call this API, and what they did." },
    { name: "organizations", description: "Owners of agents, with the model that their agents use." },
    { name: "agents", description: "Stored configurations that runs are created from." },
    { name: "keys", description: "API keys of agents, for v1." },
    { name: "runs", description: "Runs of all agents, with their events and files." },
    { name: "bundles", description: "Runs as files." },
    { name: "usage", description: "What runs used." },
    { name: "description", description: "This document." },
  ],
  securitySchemes: {
    OperatorToken: {
      type: "http",
      scheme: "bearer",
      description: "`Authorization: Bearer ao_…`. An operator token; API keys of agents (`ak_…`) belong to v1.",
    },
  },
  operations,
  sharesErrors: true,
  pathParameters,
  schemas,
  headers: {
    ...headers,
    ...replayedHeader,
    ...downloadedHeaders,
    ETag: {
      description:
        "In quotes, the revision of an agent, for `If-Match`, or the SHA-256 of a whole file; or what the response shows of a run now.",
      schema: { type: "string", examples: ['"4"'] },
    },
  },
};
