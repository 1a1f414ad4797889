import type { components } from "../generated/types.d.ts";

/** The types of the schemas that the management API and the extension API share, by name. */
export type SharedSchemas = components["schemas"];
