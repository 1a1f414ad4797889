import type { ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { findExcessiveDepth, maxJsonDepth } from "../json.ts";
import { pointerPart } from "./json-pointer.ts";
import { patternCompiler } from "./linear-pattern.ts";
import type { ResultProblem } from "./result-types.ts";

/** Problems that are kept. The model gets them all, so they are few. */
const maxProblems = 10;
const maxReceived = 200;

/**
 * Checks a result against its schema, which `schemaProblems` has accepted. Empty: it fits. A hostile schema can take for ever, so
 * it runs in a process of the sandbox. Throws if the schema cannot be compiled.
 */
export async function checkResult(schema: object, text: string): Promise<ResultProblem[]> {
  if (findExcessiveDepth(text) !== undefined) {
    return [{ place: "", expected: `at most ${maxJsonDepth} levels`, received: excerpt(text) }];
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [{ place: "", expected: "JSON without any text around it", received: excerpt(text.trim()) }];
  }
  const compile = await patternCompiler();
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    allErrors: true,
    verbose: true,
    inlineRefs: false,
    code: { regExp: Object.assign(compile, { code: "" }) },
  });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).slice(0, maxProblems).map(problemOf);
}

function problemOf({ instancePath, keyword, params, message = "", data }: ErrorObject): ResultProblem {
  const given = excerpt(JSON.stringify(data) ?? "nothing");
  const at = (name: string): string => `${instancePath}/${pointerPart(name)}`;
  switch (keyword) {
    case "required":
      return { place: at(String(params["missingProperty"])), expected: "a value", received: "nothing" };
    case "additionalProperties":
    case "unevaluatedProperties": {
      const name = String(params["additionalProperty"] ?? params["unevaluatedProperty"]);
      const extra = (data as Record<string, unknown>)[name];
      return { place: at(name), expected: "no field of this name", received: excerpt(JSON.stringify(extra) ?? "") };
    }
    case "type":
      return { place: instancePath, expected: [params["type"]].flat().join(" or "), received: given };
    case "enum":
      return { place: instancePath, expected: `one of ${jsonList(params["allowedValues"])}`, received: given };
    case "const":
      return { place: instancePath, expected: excerpt(JSON.stringify(params["allowedValue"])), received: given };
    default:
      return { place: instancePath, expected: clause(message), received: given };
  }
}

/** A message of ajv as what is expected: `must be >= 0` is `to be >= 0`. */
function clause(message: string): string {
  return message.replace(/^must NOT /, "not to ").replace(/^must /, "to ");
}

function jsonList(values: unknown): string {
  const texts = (Array.isArray(values) ? values : []).map((value) => JSON.stringify(value));
  return excerpt(texts.join(", "), 1_000);
}

function excerpt(text: string, max = maxReceived): string {
  return text.length <= max ? text : `${text.slice(0, max).toWellFormed()}…`;
}
