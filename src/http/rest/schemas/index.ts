import { eventSchemas } from "./events.ts";
import { runPartSchemas } from "./runs.ts";
import { usageSchemas } from "./usage.ts";

/** The schemas that the management API and the extension API share, by name. */
export const sharedSchemas = { ...runPartSchemas, ...eventSchemas, ...usageSchemas };
