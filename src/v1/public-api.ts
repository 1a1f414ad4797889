import { headers } from "../http/response-headers.ts";
import { operations, schemas } from "./contract.ts";
import type { ApiDescription, Operation, ResponseEntry } from "../http/description.ts";

/** The description of v1, from which its OpenAPI document is built. */
export const publicApi: ApiDescription = {
  info: {
    title: "Agents API",
    version: "1.0",
    description: "Runs a pre-configured agent: create a run, then poll its status and transcript.",
  },
  tags: [{ name: "public", description: "Public operations." }],
  securitySchemes: {
    HTTPBearer: { type: "http", scheme: "bearer", description: "`Authorization: Bearer <API_KEY>`. Preferred." },
    APIKeyHeader: {
      type: "apiKey",
      in: "header",
      name: "X-API-Key",
      description: "Used only when `Authorization` is missing or is not a Bearer credential.",
    },
  },
  operations: Object.fromEntries(Object.entries(operations).map(([name, each]) => [name, described(each)])),
  pathParameters: {
    agent_id: {
      description: "The run's ID, as the create operation answered it.",
      schema: { type: "string", format: "uuid" },
    },
  },
  schemas,
  headers,
};

function described({ responses, ...operation }: (typeof operations)[keyof typeof operations]): Operation {
  const entries = Object.entries(responses).map(([status, entry]) => [status, withExamples(entry)]);
  return { ...operation, tag: "public", responses: Object.fromEntries(entries) as Operation["responses"] };
}

/** The examples of a response's `detail`, as examples of its body. */
function withExamples({ details = [], ...entry }: (typeof operations)["get"]["responses"][number]): ResponseEntry {
  if (details.length === 0) return entry;
  const examples = details.map((detail) => [exampleName(detail), { value: { detail } }]);
  return { ...entry, examples: Object.fromEntries(examples) as Record<string, object> };
}

function exampleName(detail: string | { msg: string }[]): string {
  return typeof detail === "string" ? detail : detail.map(({ msg }) => msg).join(", ");
}
