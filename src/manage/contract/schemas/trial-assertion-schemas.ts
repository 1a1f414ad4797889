import { reference } from "../../../http/description.ts";
import { body, integer, number, oneOfTexts, sha256, text } from "../../../http/rest/schemas/schema-builders.ts";

const name = text("The name.", { maxLength: 1_000 });
const pattern = text("The pattern.", { maxLength: 1_000 });
const count = { minimum: 0 };

export const JsonSchema = { type: "object", description: "A JSON Schema.", additionalProperties: true } as const;

/** Checks by their `kind`. */
export const TrialAssertion = {
  type: "object",
  description: "A check of what a tried turn did.",
  oneOf: [
    body("The output matches a pattern (RE2).", { kind: oneOfTexts("The check.", ["output_matches"]), pattern }, [
      "kind",
      "pattern",
    ]),
    body(
      "The output fits a JSON Schema.",
      {
        kind: oneOfTexts("The check.", ["output_fits"]),
        schema: reference("JsonSchema"),
      },
      ["kind", "schema"],
    ),
    body("There is a file of this name.", { kind: oneOfTexts("The check.", ["file_exists"]), name }, ["kind", "name"]),
    body(
      "A file has this content.",
      { kind: oneOfTexts("The check.", ["file_equals"]), name, sha256: sha256("Its SHA-256.") },
      ["kind", "name", "sha256"],
    ),
    body("A file matches a pattern (RE2).", { kind: oneOfTexts("The check.", ["file_matches"]), name, pattern }, [
      "kind",
      "name",
      "pattern",
    ]),
    body(
      "A tool is called, or is not.",
      {
        kind: oneOfTexts("The check.", ["tool_called", "tool_not_called"]),
        name: text("Name of the tool.", { maxLength: 200 }),
      },
      ["kind", "name"],
    ),
    body(
      "The turn uses at most so much.",
      {
        kind: oneOfTexts("The check.", ["at_most"]),
        steps: integer("Model calls.", count),
        dollars: number("US dollars.", count),
        seconds: number("Seconds.", count),
      },
      ["kind"],
    ),
  ],
} as const;
