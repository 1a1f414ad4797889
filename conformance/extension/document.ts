import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { send } from "../client.ts";
import { describe, Mismatch } from "../expect.ts";
import type { HttpResponse, Target } from "../types.ts";

interface Response {
  content?: Record<string, { schema: object }>;
}

interface Operation {
  responses: Record<string, Response | { $ref: string }>;
}

/** The OpenAPI document that a server describes its extension API with. */
interface Document {
  components: { schemas: Record<string, object>; responses?: Record<string, Response> };
  paths: Record<string, Record<string, Operation>>;
}

interface Checker {
  document: Document;
  /** What is wrong with a value by a schema of the document. */
  problemsOf: (schema: object, value: unknown) => string[];
}

/** Checkers by base URL: a document is read once. */
const checkers = new Map<string, Promise<Checker>>();

/** What is wrong with a response by the server's document. Empty: nothing, or the document does not have the route. */
export async function documentProblems(
  target: Target,
  { method, path }: { method: string; path: string },
  { status, contentType, json, text }: HttpResponse,
): Promise<string[]> {
  const checker = checkers.get(target.baseUrl) ?? readChecker(target);
  checkers.set(target.baseUrl, checker);
  const { document, problemsOf } = await checker;
  const operation = operationOf(document, method, path.split("?")[0] ?? "");
  if (!operation) return [];
  const given = operation.responses[status];
  const response = given && "$ref" in given ? sharedResponse(document, given.$ref) : given;
  if (!response) return [`${status} is not documented`];
  if (!response.content) return text === "" ? [] : ["the response has a body"];
  const [media = ""] = contentType.split(";");
  const schema = response.content[media]?.schema;
  if (!schema) return [`the content type is not documented`];
  return media === "application/json" ? problemsOf(schema, json) : [];
}

function sharedResponse({ components: { responses = {} } }: Document, reference: string): Response | undefined {
  return responses[reference.replace("#/components/responses/", "")];
}

function operationOf({ paths }: Document, method: string, path: string): Operation | undefined {
  const matches = (template: string) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);
  const template = path in paths ? path : Object.keys(paths).find(matches);
  return template === undefined ? undefined : paths[template]?.[method.toLowerCase()];
}

async function readChecker(target: Target): Promise<Checker> {
  const response = await send(target, { path: "/ext/v1/openapi.json", auth: {} });
  const document = response.json as Document | undefined;
  if (response.status !== 200 || !document?.components || !document.paths) {
    throw new Mismatch("200 with the document at /ext/v1/openapi.json", describe(response));
  }
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: "document", components: document.components });
  const validators = new Map<object, ValidateFunction>();
  return {
    document,
    problemsOf(schema, value) {
      const inDocument = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object;
      const validate = validators.get(schema) ?? ajv.compile(inDocument);
      validators.set(schema, validate);
      if (validate(value)) return [];
      return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    },
  };
}
