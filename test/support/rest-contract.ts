import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { inlineResponses } from "./inline-responses.ts";

interface DocumentOperation {
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}
interface Document {
  components: { schemas: Record<string, object> };
  paths: Record<string, Record<string, DocumentOperation>>;
}

interface Response {
  status: number;
  contentType: string | null;
  body: unknown;
}

/** What is wrong with a response by the contract. Empty: nothing. `path`: without the query. */
export type ResponseProblems = (method: string, path: string, response: Response) => string[];

/** Returns a function that checks responses by an OpenAPI document, the text of which is given. */
export function responseChecks(openapiDocument: string): ResponseProblems {
  const document = inlineResponses(JSON.parse(openapiDocument, strict) as Document);
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    formats: {
      uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
      date: /^\d{4}-\d\d-\d\d$/,
      "date-time": /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
      binary: true,
    },
  });
  ajv.addSchema({ $id: "document", components: document.components });
  const validators = new Map<object, ValidateFunction>();

  function problemsOf(schema: object, body: unknown): string[] {
    const validate = validators.get(schema) ?? ajv.compile(inDocument(schema));
    validators.set(schema, validate);
    if (validate(body)) return [];
    return (validate.errors ?? []).map((each) => `${each.instancePath} ${each.message} ${JSON.stringify(each.params)}`);
  }

  return (method, path, { status, contentType, body }) => {
    const operation = findOperation(document, method, path);
    const named = operation ? operation.responses[status] : undefined;
    if (!named)
      return isUndocumented(operation, status) ? problemsOf(errorSchema, body) : [`${status} is not documented`];
    const { content } = named;
    if (!content) return body === "" ? [] : ["the response has a body"];
    const schema = content[contentType?.split(";")[0] ?? ""]?.schema;
    if (!schema) return [`the content type ${contentType} is not documented`];
    return contentType === "application/json" ? problemsOf(schema, body) : [];
  };
}

/** Responses have no fields that the contract does not name: an undocumented field may be one that must not be sent. */
function strict(_key: string, value: unknown): unknown {
  const isOpen =
    typeof value === "object" && value !== null && "properties" in value && !("additionalProperties" in value);
  return isOpen && "type" in value ? { ...value, additionalProperties: false } : value;
}

const errorSchema = { $ref: "#/components/schemas/Error" };

/** Every path can have these statuses: 404 and 405 of the router, and 500. */
function isUndocumented(operation: DocumentOperation | undefined, status: number): boolean {
  return operation ? status === 500 : [404, 405].includes(status);
}

function findOperation({ paths }: Document, method: string, path: string): DocumentOperation | undefined {
  const exact = paths[path];
  // Slashes in the name of a file are accepted also when they are not encoded.
  const template = Object.keys(paths).find((each) =>
    new RegExp(`^${each.replace(/\{name\}$/, ".+").replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
  );
  return (exact ?? paths[template ?? ""])?.[method.toLowerCase()];
}

function inDocument(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
}
