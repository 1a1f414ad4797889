import { notFoundHandler } from "../src/v1/not-found.ts";
import { lambdaHandler } from "../src/http/server/lambda.ts";

export const handler = lambdaHandler(notFoundHandler());
