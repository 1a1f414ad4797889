import { compress } from "../src/http/compression.ts";
import { openapiHandler } from "../src/v1/openapi.ts";
import { lambdaHandler } from "../src/http/server/lambda.ts";

export const handler = lambdaHandler(compress(openapiHandler()));
