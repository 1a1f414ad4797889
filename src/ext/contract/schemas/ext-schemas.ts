import { errorsOf } from "../../../error-codes.ts";
import { errorSchemas } from "../../../http/rest/schemas/error-schemas.ts";
import { sharedSchemas } from "../../../http/rest/schemas/rest-schemas.ts";
import { keyAgentSchemas } from "./agent-schemas.ts";
import { ownRunSchemas } from "./run-schemas.ts";
import { uploadSchemas } from "./upload-schemas.ts";

/** The schemas of the extension API by name. */
export const schemas = {
  ...keyAgentSchemas,
  ...ownRunSchemas,
  ...uploadSchemas,
  ...sharedSchemas,
  ...errorSchemas(errorsOf("ext")),
};
