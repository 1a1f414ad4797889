import { jsonResponse } from "../src/api/handlers/handler.ts";
import { withErrorResponses } from "../src/api/handlers/middleware.ts";
import { lambdaHandler } from "../src/api/server/lambda.ts";
import { env } from "../src/env.ts";
import { manageError, errorFormat } from "../src/manage/errors.ts";
import { openapiDocument } from "../src/manage/generated/openapi.ts";
import { oidcSignIn } from "../src/manage/sign-in/discovery.ts";
import type { SignIn } from "../src/manage/sign-in/types.ts";

const signIn = oidcSignIn(JSON.parse(env("SIGN_IN")) as SignIn);

export const handler = lambdaHandler(
  withErrorResponses(async ({ method, path }) => {
    if (method === "GET" && path === "/manage/v1/openapi.json") return jsonResponse(200, openapiDocument);
    if (method === "GET" && path === "/console/config.json") return jsonResponse(200, await signIn());
    throw manageError("not_found");
  }, errorFormat),
);
