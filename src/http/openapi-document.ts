import { type ApiDescription, type Operation, reference, type ResponseEntry } from "./description.ts";
import { forGenerators } from "./openapi-schemas.ts";

/** Builds the OpenAPI 3.1 document of an API. The service serves a generated copy. */
export function buildOpenapiDocument(api: ApiDescription): object {
  const { info, tags, operations, schemas, headers, securitySchemes } = api;
  const shared = api.sharesErrors ? sharedErrors(Object.values(operations)) : new Map<string, SharedResponse>();
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of Object.values(operations)) {
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = pathItem(operation, api.pathParameters, shared);
  }
  const responses = Object.fromEntries([...shared.values()].map(({ name, content }) => [name, content]));
  return {
    openapi: "3.1.0",
    info: { ...info, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    servers: [{ url: "/", description: "The address this document was downloaded from." }],
    tags,
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    paths,
    components: { schemas: forGenerators(schemas), ...(shared.size > 0 && { responses }), headers, securitySchemes },
  };
}

interface SharedResponse {
  name: string;
  content: object;
}

/** The errors that several operations have, by their JSON. Named by status, such as `Error404`, and `Error404-2` for another one. */
function sharedErrors(operations: Operation[]): Map<string, SharedResponse> {
  const uses = new Map<string, { status: string; content: object; count: number }>();
  for (const { responses } of operations) {
    for (const [status, entry] of Object.entries(responses)) {
      const content = response(entry);
      const key = JSON.stringify(content);
      if (Number(status) >= 400) uses.set(key, { status, content, count: (uses.get(key)?.count ?? 0) + 1 });
    }
  }
  const named = new Map<string, number>();
  const shared = [...uses].flatMap(([key, { status, content, count }]): [string, SharedResponse][] => {
    if (count === 1) return [];
    const number = (named.get(status) ?? 0) + 1;
    named.set(status, number);
    return [[key, { name: `Error${status}${number > 1 ? `-${number}` : ""}`, content }]];
  });
  return new Map(shared);
}

function pathItem(
  operation: Operation,
  pathParameters: ApiDescription["pathParameters"],
  shared: Map<string, SharedResponse>,
): object {
  const { path, operationId, summary, description, tag, authenticated, request, requestMedia, responses } = operation;
  const parameters = [
    ...pathParameterNames(path).map((name) => documented("path", name, { required: true, ...pathParameters[name] })),
    ...Object.entries(operation.query ?? {}).map(([name, one]) => documented("query", name, one)),
    ...Object.entries(operation.requestHeaders ?? {}).map(([name, one]) => documented("header", name, one)),
  ];
  const required = !operation.requestOptional;
  return {
    tags: [tag],
    operationId,
    summary,
    description,
    ...(authenticated ? {} : { security: [] }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(request ? { requestBody: { required, content: jsonContent(reference(request)) } } : {}),
    ...(requestMedia ? { requestBody: { required, content: mediaContent(requestMedia) } } : {}),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, entry]) => {
        const content = response(entry);
        const name = shared.get(JSON.stringify(content))?.name;
        return [status, name === undefined ? content : { $ref: `#/components/responses/${name}` }];
      }),
    ),
  };
}

function documented(place: string, name: string, parameter: object): object {
  return { name, in: place, ...parameter };
}

/** The names of the parameters in the template of a path. */
export function pathParameterNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

function response({ description, bodies, media, examples, ...entry }: ResponseEntry): object {
  const [only, ...others] = bodies.map(reference);
  const schema =
    others.length > 0 ? { anyOf: [only, ...others] } : (only ?? { type: "object", additionalProperties: true });
  const names = [...(entry.headers ?? []), "x-request-id"];
  const json = bodies.length > 0 || !media ? jsonContent(schema, examples ? { examples } : {}) : {};
  const content = { ...json, ...mediaContent(media ?? {}) };
  return {
    description,
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(Object.keys(content).length > 0 && { content }),
  };
}

function jsonContent(schema: object, extra: object = {}): object {
  return { "application/json": { schema, ...extra } };
}

function mediaContent(media: Record<string, object>): object {
  return Object.fromEntries(Object.entries(media).map(([type, schema]) => [type, { schema }]));
}
