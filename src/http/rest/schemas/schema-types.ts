import type { SchemaTypes } from "../../../json-schema.ts";
import type { sharedSchemas } from "./rest-schemas.ts";

/** The types of the schemas that the management API and the extension API share, by name. */
export type SharedSchemas = SchemaTypes<typeof sharedSchemas>;
