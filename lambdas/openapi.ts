import { compress } from "../src/api/handlers/compression.ts";
import { openapiHandler } from "../src/api/handlers/openapi.ts";
import { lambdaHandler } from "../src/api/server/lambda.ts";

export const handler = lambdaHandler(compress(openapiHandler()));
