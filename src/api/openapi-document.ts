import { headers, type Operation, operations, reference, type ResponseEntry, schemas } from "./contract.ts";

/** Builds the OpenAPI 3.1 document of the API. The service serves the generated copy in `generated/openapi.ts`. */
export function buildOpenapiDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of Object.values(operations)) {
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = pathItem(operation);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Agents API",
      version: "1.0",
      description: "Runs a pre-configured agent: create a run, then poll its status and transcript.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The address this document was downloaded from." }],
    tags: [{ name: "public", description: "Public operations." }],
    security: [{ HTTPBearer: [] }, { APIKeyHeader: [] }],
    paths,
    components: {
      schemas,
      headers,
      securitySchemes: {
        HTTPBearer: { type: "http", scheme: "bearer", description: "`Authorization: Bearer <API_KEY>`. Preferred." },
        APIKeyHeader: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description: "Used only when `Authorization` is missing or is not a Bearer credential.",
        },
      },
    },
  };
}

function pathItem({ path, operationId, summary, description, authenticated, request, responses }: Operation): object {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    description: "The run's ID, as the create operation answered it.",
    schema: { type: "string", format: "uuid" },
  }));
  return {
    tags: ["public"],
    operationId,
    summary,
    description,
    ...(authenticated ? {} : { security: [] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(request ? { requestBody: { required: true, content: jsonContent(reference(request)) } } : {}),
    responses: Object.fromEntries(Object.entries(responses).map(([status, entry]) => [status, response(entry)])),
  };
}

function response({ description, bodies, details = [], ...entry }: ResponseEntry): object {
  const [only, ...others] = bodies.map(reference);
  const schema =
    others.length > 0 ? { anyOf: [only, ...others] } : (only ?? { type: "object", additionalProperties: true });
  const examples = Object.fromEntries(details.map((detail) => [exampleName(detail), { value: { detail } }]));
  const names = [...(entry.headers ?? []), "x-request-id"];
  return {
    description,
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: jsonContent(schema, details.length > 0 ? { examples } : {}),
  };
}

function exampleName(detail: NonNullable<ResponseEntry["details"]>[number]): string {
  return typeof detail === "string" ? detail : detail.map(({ msg }) => msg).join(", ");
}

function jsonContent(schema: object, extra: object = {}): object {
  return { "application/json": { schema, ...extra } };
}
