/** The part of JSON Schema that the agent schema uses. */
export interface FieldSchema {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: readonly unknown[];
  required?: readonly string[];
  properties?: Record<string, FieldSchema>;
  propertyNames?: { pattern?: string };
  additionalProperties?: boolean | FieldSchema;
  items?: FieldSchema;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
}

/** How a value is entered. */
export type Field = {
  name: string;
  label: string;
  /** What it is, with its default or limits. */
  help: string | undefined;
  required: boolean;
} & (
  | { kind: "text"; maxLength: number | undefined; long: boolean; secret: boolean }
  | { kind: "number"; whole: boolean; placeholder: string | undefined }
  | { kind: "choice"; options: string[] }
  | { kind: "flag"; preset: boolean }
  | { kind: "checks"; options: string[]; preset: string[] }
  | { kind: "texts" }
  | { kind: "json"; list: boolean }
  | { kind: "rules"; options: string[]; most: number | undefined }
  | { kind: "group"; fields: Field[] }
  | { kind: "list"; fields: Field[]; most: number | undefined }
  | { kind: "map"; fields: Field[]; most: number | undefined }
);

export type FieldOf<Kind extends Field["kind"]> = Extract<Field, { kind: Kind }>;

/** Names that are not simply their words. */
const labels: Record<string, string> = {
  mcp: "MCP servers",
  url: "URL",
  limits: "Limits of one turn",
  runLimits: "Limits of the whole run",
  maxRunning: "Runs at a time",
  maxDollarsPerDay: "Dollars per day",
  maxStoredBytes: "Bytes of stored files",
  contextTokens: "Context window",
  modelConfiguration: "Model configuration",
  runModels: "Models that runs may choose",
  cachedInput: "Cached input",
  cacheWriteInput: "Cache writes",
  readFile: "Options of read_file",
  pdf: "PDFs",
  webFetch: "Options of web_fetch",
  privateAddresses: "Private addresses",
  hosts: "Hosts",
  prices: "Prices per million tokens",
  parameters: "Model parameters",
  schema: "JSON Schema",
  toolPolicy: "Rules for tools",
  withinSeconds: "Seconds to answer",
  keysApprove: "API keys may answer approvals",
  perRun: "Programs may send another schema with a run",
  maxOutputTokens: "Output tokens of one call",
};

/** Texts from this length are written in a box of several lines. */
const longText = 10_000;

/** The fields of an object schema, in its order. `$schema` is for text editors and left out. */
export function fieldsOf(schema: FieldSchema): Field[] {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => name !== "$schema")
    .map(([name, of]) => fieldOf(name, of, schema.required?.includes(name) ?? false));
}

function fieldOf(name: string, schema: FieldSchema, required: boolean): Field {
  const common = { name, label: labels[name] ?? words(name), help: schema.description, required };
  if (schema.enum) return { ...common, kind: "choice", options: schema.enum.map(String) };
  switch (schema.type ?? "string") {
    case "integer":
    case "number":
      return { ...common, kind: "number", whole: schema.type === "integer", placeholder: placeholderOf(schema) };
    case "boolean":
      // The schema has no default here: stored definitions do not repeat it.
      return { ...common, kind: "flag", preset: schema.description?.includes("Default: true.") ?? false };
    case "array":
      return { ...common, ...arrayField(schema) };
    case "object":
      return { ...common, ...objectField(schema) };
    default: {
      const { maxLength } = schema;
      return { ...common, kind: "text", maxLength, long: (maxLength ?? 0) >= longText, secret: name === "secret" };
    }
  }
}

function arrayField(schema: FieldSchema) {
  const { items = {}, maxItems } = schema;
  if (items.enum) {
    const preset = Array.isArray(schema.default) ? schema.default.map(String) : [];
    return { kind: "checks", options: items.enum.map(String), preset } as const;
  }
  if (items.type === "object" && Object.values(items.properties ?? {}).some(hasParts))
    return { kind: "json", list: true } as const;
  if (items.type === "object") return { kind: "list", fields: fieldsOf(items), most: maxItems } as const;
  return { kind: "texts" } as const;
}

function objectField(schema: FieldSchema) {
  const { additionalProperties: entry, maxProperties } = schema;
  if (typeof entry === "object" && entry.enum) {
    return { kind: "rules", options: entry.enum.map(String), most: maxProperties } as const;
  }
  if (typeof entry === "object") return { kind: "map", fields: fieldsOf(entry), most: maxProperties } as const;
  if (isFree(schema)) return { kind: "json", list: false } as const;
  return { kind: "group", fields: fieldsOf(schema) } as const;
}

/** Whether the schema says nothing of the fields of an object: it is written as JSON. */
function isFree({ type, properties, additionalProperties }: FieldSchema): boolean {
  return type === "object" && !properties && typeof additionalProperties !== "object";
}

/** Whether the schema is of an object with fields of its own, which an entry of a list has no room for. */
function hasParts(schema: FieldSchema): boolean {
  return isFree(schema) || (schema.type === "object" && schema.properties !== undefined);
}

function placeholderOf({ default: preset }: FieldSchema): string | undefined {
  return typeof preset === "number" ? preset.toLocaleString("en-US") : undefined;
}

/** "inputTokens" → "Input tokens". */
function words(name: string): string {
  const spaced = name.replaceAll(/([a-z])([A-Z])/g, (_, one: string, two: string) => `${one} ${two.toLowerCase()}`);
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
