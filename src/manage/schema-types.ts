import type { components } from "./generated/types.d.ts";

/** The types of the management API's schemas, by name. */
export type Schemas = components["schemas"];
