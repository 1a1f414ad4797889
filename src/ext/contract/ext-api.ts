import { headers } from "../../http/response-headers.ts";
import type { ApiDescription } from "../../http/description.ts";
import { downloadedHeaders, replayedHeader } from "../../http/rest/parameters.ts";
import { publicApi } from "../../v1/public-api.ts";
import { operations } from "./operations/ext-operations.ts";
import { pathParameters } from "./operations/parameters.ts";
import { schemas } from "./schemas/ext-schemas.ts";

/** The description of the extension API. */
export const extApi: ApiDescription = {
  info: {
    title: "Agent Run Extensions",
    version: "1.0",
    description:
      "What programs need beside v1: events, files, next inputs, labels, and creates that are safe to repeat. Takes the API keys of v1; a key sees the runs of its agents. `HEAD` is answered as `GET`, without the body, and `OPTIONS` with the methods of a path in `Allow`.",
  },
  tags: [
    { name: "agent", description: "An agent that the key belongs to." },
    { name: "runs", description: "Runs of the key's agents, with their events and files." },
    { name: "uploads", description: "Files that are too large for the body of a create." },
    { name: "description", description: "This document." },
  ],
  securitySchemes: publicApi.securitySchemes,
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
        "Of a file: its SHA-256 in quotes, `sha256` of the list of files. Left out for files of version 0.1. Of a run: what its response shows now. Left out while the agent's current definition decides what it shows.",
      schema: { type: "string", examples: [`"${"5f".repeat(32)}"`] },
    },
    Location: {
      description: "A URL of the file, with its signature.",
      schema: { type: "string", format: "uri" },
    },
  },
};
