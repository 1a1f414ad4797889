import { readFileSync } from "node:fs";
import type { ApiDescription } from "../src/http/description.ts";

/** A JSON Schema, as far as the extension API uses it. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: string;
  enum?: (string | null)[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
}

type Schemas = Record<string, Schema>;

/** What the Python client reads: the bodies of responses, and the entries of pages. Requests are in its signatures. */
function bodiesOf({ operations }: ApiDescription, schemas: Schemas): string[] {
  const bodies = Object.values(operations).flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, { bodies: names }]) => (Number(status) < 300 ? names : [])),
  );
  return bodies.map((name) => schemas[name]?.properties?.["data"]?.items?.$ref?.split("/").at(-1) ?? name);
}

/** Typed dictionaries of the responses, which are Python's form of interfaces. */
export function pythonTypes(api: ApiDescription, notice: string): string {
  const classes = new Map<string, string>();
  const schemas = api.schemas as Schemas;
  for (const root of bodiesOf(api, schemas)) addType(root, schemas, classes);
  return `${notice}
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired

${[...classes.values()].join("\n\n")}`;
}

/** Adds the definition of a schema after those that it refers to. */
function addType(name: string, schemas: Schemas, classes: Map<string, string>): void {
  const schema = schemas[name];
  if (!schema) throw new Error(`the schema ${name} does not exist`);
  if (classes.has(name)) return;
  const nested = (property: string, value: Schema): string => {
    const nestedName = `${name}${property.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase())}`;
    addType(nestedName, { ...schemas, [nestedName]: value }, classes);
    return nestedName;
  };
  const typeOf = (value: Schema, property: string): string => {
    if (value.$ref !== undefined) {
      const referred = value.$ref.split("/").at(-1) ?? "";
      addType(referred, schemas, classes);
      return referred;
    }
    const choices = value.oneOf ?? value.anyOf;
    if (choices) return choices.map((each) => typeOf(each, property)).join(" | ");
    if (value.const !== undefined) return `Literal[${JSON.stringify(value.const)}]`;
    const types = [value.type ?? "any"].flat();
    const optional = types.includes("null") ? " | None" : "";
    if (value.enum) {
      const texts = value.enum.filter((each) => each !== null).map((each) => JSON.stringify(each));
      return `Literal[${texts.join(", ")}]${optional}`;
    }
    return types.flatMap((type) => plainType(type, value, property)).join(" | ");
  };
  const plainType = (type: string, value: Schema, property: string): string[] => {
    if (type === "array") return [`list[${typeOf(value.items ?? {}, property)}]`];
    if (type === "object") {
      if (value.properties) return [nested(property, value)];
      const { additionalProperties: of } = value;
      return [`dict[str, ${typeof of === "object" ? typeOf(of, property) : "Any"}]`];
    }
    return [{ string: "str", integer: "int", number: "float", boolean: "bool", null: "None" }[type] ?? "Any"];
  };
  classes.set(name, "");
  const definition = schema.properties ? typedDict(name, schema, typeOf) : alias(name, schema, typeOf);
  classes.delete(name); // so that it comes after those that it refers to
  classes.set(name, definition);
}

function typedDict(name: string, schema: Schema, typeOf: (value: Schema, property: string) => string): string {
  const { properties = {}, required = [], description } = schema;
  const fields = Object.entries(properties).map(([property, value]) => {
    const type = typeOf(value, property);
    const note = value.description === undefined ? "" : `    ${docstring(value.description)}\n`;
    return `    ${property}: ${required.includes(property) ? type : `NotRequired[${type}]`}\n${note}`;
  });
  return `class ${name}(TypedDict):\n    ${docstring(description ?? name)}\n\n${fields.join("")}`;
}

function alias(name: string, schema: Schema, typeOf: (value: Schema, property: string) => string): string {
  return `${name} = Union[${typeOf(schema, "").replaceAll(" | ", ", ")}]\n${docstring(schema.description ?? name)}\n`;
}

function docstring(text: string): string {
  return `"""${text.replaceAll("\\", "\\\\").replaceAll('"""', "'''").replace(/"$/, '" ')}"""`;
}

/** Method and path of each operation, in a class for each API. */
export function pythonOperations(apis: Record<string, ApiDescription>, notice: string): string {
  const classes = Object.entries(apis).map(([className, { info, operations }]) => {
    const rows = Object.entries(operations).map(
      ([name, { method, path }]) => `    ${name} = ("${method}", "${path}")\n`,
    );
    return `\n\nclass ${className}:\n    """Method and path of each operation of the ${info.title}."""\n\n${rows.join("")}`;
  });
  return `${notice}${classes.join("")}`;
}

/** What differs in the synchronous client. */
const synchronous: [RegExp, string][] = [
  [/AsyncGenerator\[(.+), None\]/g, "Generator[$1, None, None]"],
  [/Awaitable\[(\w+)\]/g, "$1"],
  [/, Awaitable\b/g, ""],
  [/\basync (def|with|for)\b/g, "$1"],
  [/\bawait /g, ""],
  [/\b(_io\.)?async_/g, "_io.sync_"],
  [/\basynccontextmanager\b/g, "contextmanager"],
  [/\baclosing\b/g, "closing"],
  [/\baclose\b/g, "close"],
  [/__aenter__/g, "__enter__"],
  [/__aexit__/g, "__exit__"],
  [/\bAsync(?=[A-Z])/g, ""],
];

/** A module of the synchronous client, made from the asynchronous one. */
export function synchronousModule(path: string, notice: string): string {
  return synchronous.reduce((text, [from, to]) => text.replace(from, to), notice + readFileSync(path, "utf8"));
}
