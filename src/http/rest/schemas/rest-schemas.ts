import { eventSchemas } from "./event-schemas.ts";
import { runPartSchemas } from "./run-schemas.ts";
import { usageSchemas } from "./usage-schemas.ts";

/** The schemas that the management API and the extension API share, by name. */
export const sharedSchemas = { ...runPartSchemas, ...eventSchemas, ...usageSchemas };
