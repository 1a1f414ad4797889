import { type ApiDescription, type Operation, reference, type ResponseEntry } from "./description.ts";

/** Builds the OpenAPI 3.1 document of an API. The service serves a generated copy. */
export function buildOpenapiDocument(api: ApiDescription): object {
  const { info, tags, operations, schemas, headers, securitySchemes } = api;
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of Object.values(operations)) {
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = pathItem(operation, api.pathParameters);
  }
  return {
    openapi: "3.1.0",
    info: { ...info, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    servers: [{ url: "/", description: "The address this document was downloaded from." }],
    tags,
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    paths,
    components: { schemas, headers, securitySchemes },
  };
}

function pathItem(operation: Operation, pathParameters: ApiDescription["pathParameters"]): object {
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
    responses: Object.fromEntries(Object.entries(responses).map(([status, entry]) => [status, response(entry)])),
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
