import { ValidationError } from "../../validation/validation-error.ts";
import { reference } from "../../description.ts";
import { list, object, oneOfTexts, type Schema } from "./schema.ts";

/** The bodies of errors. `codes`: of the API. */
export function errorSchemas(codes: string[]): Record<"Error" | "ValidationError", Schema> {
  return {
    Error: object("Why a request failed.", {
      detail: {
        description: "The reason, for people. With the code `invalid_request`, one item per violation.",
        anyOf: [{ type: "string" }, list("One item per violation of the schema.", reference("ValidationError"))],
      },
      code: oneOfTexts("The reason, for programs.", codes),
    }),
    ValidationError: {
      ...ValidationError,
      properties: {
        ...ValidationError.properties,
        loc: {
          ...ValidationError.properties.loc,
          description: "Where it is: `body`, `path`, `query` or `header`, then field names and list positions.",
        },
      },
    },
  };
}
