import { isObject } from "../../json.ts";

type Schema = Record<string, unknown>;

/** Levels of optional values, and of references to follow. */
const [maxOptional, maxDepth] = [3, 12];

const byFormat: Record<string, string> = {
  date: "2026-01-31",
  time: "12:00:00Z",
  "date-time": "2026-01-31T12:00:00Z",
  email: "demo@example.com",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/**
 * A value of the form that a schema describes. It fits common schemas; patterns, `not` and the like are left to chance, which
 * shows what happens to a result that does not fit.
 */
export function sampleResult(root: object): unknown {
  function sampleOf(schema: unknown, depth: number): unknown {
    if (!isObject(schema) || depth > maxDepth) return null;
    const { $ref, default: preset, examples, enum: values, anyOf, oneOf, allOf } = schema;
    if (typeof $ref === "string") return sampleOf(target($ref), depth + 1);
    if ("const" in schema) return schema["const"];
    if (preset !== undefined) return preset;
    if (Array.isArray(examples) && examples.length > 0) return examples[0];
    if (Array.isArray(values)) return values[0];
    const alternatives = anyOf ?? oneOf;
    if (Array.isArray(alternatives)) return sampleOf(alternatives[0], depth + 1);
    if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map((each) => sampleOf(each, depth + 1)));
    return ofType(schema, depth);
  }

  function ofType(schema: Schema, depth: number): unknown {
    switch ([schema["type"]].flat()[0]) {
      case "object":
        return objectOf(schema, depth);
      case "array": {
        const { minItems = depth < maxOptional ? 1 : 0, items } = schema;
        return Array.from({ length: Math.min(Number(minItems), 100) }, () => sampleOf(items, depth + 1));
      }
      case "string":
        return textOf(schema);
      case "integer":
      case "number":
        return schema["minimum"] ?? Number(schema["exclusiveMinimum"] ?? 0) + 1;
      case "boolean":
        return true;
      default:
        return null;
    }
  }

  function objectOf({ properties, required }: Schema, depth: number): object {
    const entries = isObject(properties) ? Object.entries(properties) : [];
    const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
    const shown = entries.filter(([name]) => depth < maxOptional || isRequired(name));
    return Object.fromEntries(shown.map(([name, each]) => [name, sampleOf(each, depth + 1)]));
  }

  function target($ref: string): unknown {
    const path = $ref.replace(/^#\/?/, "").split("/").filter(Boolean);
    return path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), root);
  }

  return sampleOf(root, 0);
}

function textOf({ format, minLength = 0, maxLength = Infinity }: Schema): string {
  const text = byFormat[String(format)] ?? "demo";
  return format === undefined ? text.padEnd(Math.min(Number(minLength), 1_000), ".").slice(0, Number(maxLength)) : text;
}
