import type { SchemaTypes } from "../json-schema.ts";
import type { schemas } from "./contract/schemas/manage-schemas.ts";

/** The types of the management API's schemas, by name. */
export type Schemas = SchemaTypes<typeof schemas>;
