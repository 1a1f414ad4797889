import { errorsOf } from "../../../error-codes.ts";
import { errorSchemas } from "../../../http/rest/schemas/errors.ts";
import { sharedSchemas } from "../../../http/rest/schemas/index.ts";
import { keyAgentSchemas } from "./agent.ts";
import { ownRunSchemas } from "./runs.ts";
import { uploadSchemas } from "./uploads.ts";

/** The schemas of the extension API by name. */
export const schemas = {
  ...keyAgentSchemas,
  ...ownRunSchemas,
  ...uploadSchemas,
  ...sharedSchemas,
  ...errorSchemas(errorsOf("ext")),
};
