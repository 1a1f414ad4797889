import { notFoundHandler } from "../src/api/handlers/not-found.ts";
import { lambdaHandler } from "../src/api/server/lambda.ts";

export const handler = lambdaHandler(notFoundHandler());
