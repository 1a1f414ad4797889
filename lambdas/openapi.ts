import { openapiHandler } from "../src/api/handlers/openapi.ts";

export const handler = openapiHandler();
