import { wireBySchema } from "../../http/rest/wire/by-schema.ts";
import { schemas } from "../contract/schemas/manage-schemas.ts";

/** Gives a value the form of a schema of the management API. */
export const wire = wireBySchema(schemas);
