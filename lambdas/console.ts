import middy from "@middy/core";
import { join } from "node:path";
import { type ApiHandler, type ApiRequest, type ApiResponse, jsonResponse } from "../src/http/handler.ts";
import { withErrorResponses } from "../src/http/middleware.ts";
import { apiGateway, changesResponse, compression } from "../src/http/server/lambda.ts";
import { noEarlyTimeout } from "../src/platform/aws/functions/middlewares.ts";
import { env } from "../src/env.ts";
import { consoleFiles, isConsolePath } from "../src/manage/console-files.ts";
import { manageError, manageErrors } from "../src/manage/manage-errors.ts";
import { openapiDocument } from "../src/manage/generated/openapi.ts";
import { withSecurityHeaders } from "../src/http/rest/security-headers.ts";
import { oidcSignIn } from "../src/manage/sign-in/discovery.ts";
import type { SignIn } from "../src/manage/sign-in/sign-in-types.ts";

// What the console's stack serves without a token: the page, and the document of its API.

declare const __dirname: string;

const files = consoleFiles({
  directory: join(import.meta.dirname ?? __dirname, "console"), // beside this function's code, which is CommonJS
  signIn: oidcSignIn(JSON.parse(env("SIGN_IN")) as SignIn),
});

const publicFiles: ApiHandler = async (request) => {
  const { method, path } = request;
  // Without a redirect from /console to /console/: a gateway that drops the slash would redirect without end.
  if (path === "/console") return files({ ...request, path: "/console/" });
  if (isConsolePath(path)) return files(request);
  if (method === "GET" && path === "/manage/v1/openapi.json") return jsonResponse(200, openapiDocument);
  if (method === "GET" && path === "/") return { status: 302, headers: { location: "/console/" }, body: "" };
  throw manageError("not_found");
};

export const handler = middy<ApiRequest, ApiResponse>(noEarlyTimeout)
  .use(apiGateway)
  .use(compression)
  .use(changesResponse((_request, response) => withSecurityHeaders(response)))
  .handler(withErrorResponses(publicFiles, manageErrors.format));
