import type { ApiDescription, Operation, Parameter } from "../src/http/description.ts";

/** The source of a table with method and path of operations. `basePath`: left out of the paths. `has`: which; default: all. */
export function methodsAndPaths(
  { operations }: Pick<ApiDescription, "operations">,
  basePath = "",
  has: (operation: Operation) => boolean = () => true,
): string {
  const wanted = Object.entries(operations).filter(([, operation]) => has(operation));
  const rows = wanted.map(
    ([name, { method, path }]) => `  ${name}: ["${method}", ${JSON.stringify(path.slice(basePath.length))}],`,
  );
  return `{\n${rows.join("\n")}\n} as const`;
}

/**
 * A TypeScript module for callers of an API: method and path of each operation, and the types of its parameters, body and
 * answer. `schemasFrom`: a module that exports the types `Schemas`. The methods and paths of operations with a tag of `late` are in
 * tables of their own (`lateTable`), which the first view of the page does not load.
 */
export function operationTable(api: ApiDescription, basePath: string, schemasFrom: string, late: string[]): string {
  const types = Object.entries(api.operations).map(([name, operation]) => `  ${name}: ${callType(operation, api)};`);
  return `import type { Schemas } from ${JSON.stringify(schemasFrom)};

/** The prefix of all paths. */
export const basePath = ${JSON.stringify(basePath)};

/** Method and path of each operation, but for those with the tags ${late.join(", ")}. */
export const operations = ${methodsAndPaths(api, basePath, ({ tag }) => !late.includes(tag))};

/** What each operation takes and answers. \`answer\`: undefined without a JSON body. */
export interface Operations {
${types.join("\n")}
}
`;
}

/** A TypeScript module with method and path of each operation with a tag. */
export function lateTable(api: ApiDescription, basePath: string, late: string): string {
  const table = methodsAndPaths(api, basePath, ({ tag }) => tag === late);
  return `/** Method and path of each operation with the tag ${late}. */\nexport const operations = ${table};\n`;
}

/** `{ parameters, body, answer }`. Parameters of the path and the query are in one object: their names differ. */
function callType(operation: Operation, { pathParameters }: ApiDescription): string {
  const { path, query = {}, request, requestOptional, responses } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const one = pathParameters[name];
    if (!one) throw new Error(`the parameter ${name} of ${path} is not described`);
    if (name in query) throw new Error(`${path} has two parameters ${name}`);
    return `${name}: ${parameterType(one)}`;
  });
  const inQuery = Object.entries(query).map(([name, one]) =>
    one.required ? `${name}: ${parameterType(one)}` : `${name}?: ${parameterType(one)} | undefined`,
  );
  const parameters = [...inPath, ...inQuery];
  return [
    `{ parameters: ${parameters.length === 0 ? "Record<string, never>" : `{ ${parameters.join("; ")} }`}`,
    ...(request === undefined ? [] : [`body${requestOptional ? "?" : ""}: Schemas[${JSON.stringify(request)}]`]),
    `answer: ${answerType(responses)} }`,
  ].join("; ");
}

function parameterType({ schema }: Pick<Parameter, "schema">): string {
  const { type, items, enum: choices } = schema as { type: string; items?: Parameter["schema"]; enum?: string[] };
  if (items) return `(${parameterType({ schema: items })})[]`;
  if (choices) return choices.map((choice) => JSON.stringify(choice)).join(" | ");
  return type === "integer" ? "number" : type;
}

function answerType(responses: Operation["responses"]): string {
  const success = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const types = success.map(([, { bodies, media }]) => {
    if (bodies.length > 0) return bodies.map((name) => `Schemas[${JSON.stringify(name)}]`).join(" | ");
    return media ? "undefined" : "object";
  });
  return [...new Set(types)].join(" | ");
}
