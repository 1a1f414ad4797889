import { ValidationError } from "../../validation/validation-error.ts";
import { reference } from "../../description.ts";
import { list, object, oneOfTexts } from "./schema-builders.ts";

/** The bodies of errors. `errors`: those of the API, by code. */
export function errorSchemas<Code extends string>(errors: Record<Code, unknown>) {
  return {
    Error: object("Why a request failed.", {
      detail: {
        description: "The reason, for people. With the code `invalid_request`, one item per violation.",
        anyOf: [{ type: "string" }, list("One item per violation of the schema.", reference("ValidationError"))],
      },
      code: oneOfTexts("The reason, for programs.", Object.keys(errors) as Code[]),
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
