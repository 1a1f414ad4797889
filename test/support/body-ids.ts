/** A schema as OpenAPI writes it. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface Document {
  paths: Record<
    string,
    Record<
      string,
      { operationId?: string; requestBody?: { content: Record<string, { schema: Schema } | undefined> } } | undefined
    >
  >;
  components: { schemas: Record<string, Schema> };
}

/** A field of the body of an operation that names something by its id. `path`: an item of a list is `[]`. */
export interface BodyId {
  operationId: string;
  path: string[];
  /** Its name without that it is a list: `agent_id` for `more_agent_ids`. */
  kind: string;
}

/** All fields of the bodies of an API whose name says that they are ids, found in its OpenAPI document. */
export function bodyIdsOf(openapi: string): BodyId[] {
  const document = JSON.parse(openapi) as Document;
  const found: BodyId[] = [];
  for (const operation of Object.values(document.paths).flatMap(Object.values)) {
    const { operationId = "", requestBody } = operation as Document["paths"][string][string] & object;
    const schema = requestBody?.content["application/json"]?.schema;
    for (const path of schema ? idsIn(schema, document, []) : []) {
      const name = path.findLast((part) => part !== "[]") ?? "";
      found.push({ operationId, path, kind: name.replace(/^more_/, "").replace(/ids$/, "id") });
    }
  }
  return found;
}

function idsIn(schema: Schema, document: Document, path: string[]): string[][] {
  const { $ref, properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema;
  if (path.length > 12) return [];
  const target = $ref && document.components.schemas[$ref.split("/").at(-1) ?? ""];
  const within = [
    ...(target ? [[target, path] as const] : []),
    ...Object.entries(properties).map(([name, each]) => [each, [...path, name]] as const),
    ...(items ? [[items, [...path, "[]"]] as const] : []),
    ...[...anyOf, ...oneOf, ...allOf].map((each) => [each, path] as const),
  ];
  if (within.length > 0) return unique(within.flatMap(([each, at]) => idsIn(each, document, [...at])));
  return /(^|_)ids?$/.test(path.findLast((part) => part !== "[]") ?? "") ? [path] : [];
}

function unique(paths: string[][]): string[][] {
  return [...new Map(paths.map((path) => [path.join("/"), path])).values()];
}

/** A body with a value at a path, and `others` beside it in its object. */
export function bodyWith(path: string[], value: unknown, others: object = {}): object {
  const [first = "", ...rest] = path;
  if (rest.length === 0) return { ...others, [first]: value };
  const below = rest[0] === "[]" ? [rest.length === 1 ? value : bodyWith(rest.slice(1), value)] : bodyWith(rest, value);
  return { ...others, [first]: below };
}
