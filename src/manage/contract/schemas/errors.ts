import { ValidationError } from "../../../api/contract.ts";
import { reference } from "../../../api/description.ts";
import { errors } from "../errors.ts";
import { list, object, oneOfTexts } from "./schema.ts";

export const errorSchemas = {
  Error: object("Why a request failed.", {
    detail: {
      description: "The reason, for people. With the code `invalid_request`, one item per violation.",
      anyOf: [{ type: "string" }, list("One item per violation of the schema.", reference("ValidationError"))],
    },
    code: oneOfTexts("The reason, for programs.", Object.keys(errors)),
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
