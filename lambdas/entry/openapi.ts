import { openapiHandler } from "../api/openapi.ts";

export const handler = openapiHandler();
