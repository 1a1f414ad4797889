import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as compiled from "../../dist/generated/mcp-inputs.js";
import type { Schema, Static } from "../json-schema.ts";
import type { SchemaValidator, SchemaViolation } from "../schema-validator.ts";
import type { Named } from "./tool-names.ts";
import { inputs, type Inputs } from "./tools/inputs.ts";

const validators: Record<keyof Inputs, SchemaValidator> = compiled;

/**
 * An input for the SDK: what clients list, and a compiled validator, which sets defaults and converts UUIDs. `named` names the
 * tools in its descriptions. `schema`: as clients list it. Default: that of all inputs.
 */
export function inputSchema<Name extends keyof Inputs>(
  name: Name,
  { named }: { named: Named },
  schema: Schema = inputs[name],
): StandardSchemaWithJSON<Inputs[Name]> {
  const validate = validators[name];
  const listed = (): Schema => JSON.parse(named(JSON.stringify(schema))) as Schema;
  return standardSchema(listed, (value) => {
    if (validate(value)) return { value: value as Inputs[Name] };
    const issues = (validate.errors ?? []).filter(({ keyword }) => keyword !== "if").map(issueOf);
    validate.errors = null; // they reference the whole value
    return { issues };
  });
}

/** The structured content of a tool's result for the SDK. Its type is checked where it is made. */
export function outputSchema<const S extends Schema>(schema: S): StandardSchemaWithJSON<Static<S, unknown>> {
  return standardSchema(
    () => schema,
    (value) => ({ value: value as Static<S, unknown> }),
  );
}

type Result<Value> = ReturnType<StandardSchemaWithJSON<Value>["~standard"]["validate"]>;

/** A schema in the form of https://standardschema.dev. `validate`: returns the value, or what is wrong with it. */
function standardSchema<Value>(
  schema: () => Schema,
  validate: (value: unknown) => Result<Value>,
): StandardSchemaWithJSON<Value> {
  const json = () => {
    const { description: _ofTool, ...listed } = schema();
    return listed;
  };
  return {
    "~standard": { version: 1, vendor: "agent-run-service", validate, jsonSchema: { input: json, output: json } },
  };
}

/** A violation for models. The name of an unknown field is in no message of ajv. */
function issueOf({ instancePath, message = "is not valid", params }: SchemaViolation) {
  const unknown = params["additionalProperty"];
  return {
    path: instancePath.split("/").slice(1),
    message: unknown === undefined ? message : `${message}: ${JSON.stringify(unknown)}`,
  };
}
