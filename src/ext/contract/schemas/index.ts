import { errorsOf } from "../../../error-codes.ts";
import { errorSchemas } from "../../../api/rest/schemas/errors.ts";
import { sharedSchemas } from "../../../api/rest/schemas/index.ts";
import { agentSchemas } from "./agent.ts";
import { runSchemas } from "./runs.ts";
import { uploadSchemas } from "./uploads.ts";

/** The schemas of the extension API by name. */
export const schemas = {
  ...agentSchemas,
  ...runSchemas,
  ...uploadSchemas,
  ...sharedSchemas,
  ...errorSchemas(Object.keys(errorsOf("ext"))),
};
