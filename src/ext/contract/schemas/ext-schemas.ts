import { errorsOf } from "../../../error-codes.ts";
import { errorSchemas } from "../../../http/rest/schemas/errors-schemas.ts";
import { sharedSchemas } from "../../../http/rest/schemas/rest-schemas.ts";
import { keyAgentSchemas } from "./agent-schemas.ts";
import { ownRunSchemas } from "./runs-schemas.ts";
import { uploadSchemas } from "./uploads-schemas.ts";

/** The schemas of the extension API by name. */
export const schemas = {
  ...keyAgentSchemas,
  ...ownRunSchemas,
  ...uploadSchemas,
  ...sharedSchemas,
  ...errorSchemas(errorsOf("ext")),
};
