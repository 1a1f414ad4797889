import { errorsOf } from "../../../error-codes.ts";
import { errorSchemas } from "../../../http/rest/schemas/errors.ts";
import { sharedSchemas } from "../../../http/rest/schemas/index.ts";
import { agentSchemas } from "./agent.ts";
import { runSchemas } from "./runs.ts";
import { uploadSchemas } from "./uploads.ts";

/** The schemas of the extension API by name. */
export const schemas = {
  ...agentSchemas,
  ...runSchemas,
  ...uploadSchemas,
  ...sharedSchemas,
  ...errorSchemas(errorsOf("ext")),
};
