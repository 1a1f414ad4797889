import { RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import {
  HttpApi as Api,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { type Operation, operations } from "../src/v1/contract.ts";
import { basePath } from "../src/ext/path.ts";
import { mcpPath } from "../src/mcp/path.ts";
import { logRetention } from "./service-function.ts";

export interface HttpApiProps {
  handlers: Handlers;
  throttle: Throttle;
}

/** The functions behind the routes. */
interface Handlers {
  create: IFunction;
  get: IFunction;
  openapi: IFunction;
  /** Reads of the extension API, and all of its other requests. */
  extRead: IFunction;
  extWrite: IFunction;
  mcp: IFunction;
  /** Handles every other path and method. */
  notFound: IFunction;
}

/** Requests per second, and burst. */
interface Throttle {
  rateLimit: number;
  burstLimit: number;
}

/** One line of the access log. It contains no headers, so no API key and no token can be logged. */
const accessLog = {
  time: "$context.requestTime",
  requestId: "$context.requestId",
  route: "$context.routeKey",
  path: "$context.path",
  status: "$context.status",
  bytes: "$context.responseLength",
  milliseconds: "$context.responseLatency",
  ip: "$context.identity.sourceIp",
  userAgent: "$context.identity.userAgent",
  problem: "$context.integrationErrorMessage",
};

function keyOf({ path, method }: Operation): HttpRouteKey {
  return HttpRouteKey.with(path, HttpMethod[method]);
}

/** API Gateway HTTP API with the routes of v1 and of the interfaces for programs. */
export class HttpApi extends Construct {
  /** Base URL without a trailing slash. */
  readonly url: string;

  constructor(scope: Construct, id: string, { handlers, throttle }: HttpApiProps) {
    super(scope, id);
    const httpApi = new Api(this, "Api", { description: "Agents API", createDefaultStage: false });
    for (const { name, key, handler, withKey } of routesOf(handlers)) {
      const integration = new HttpLambdaIntegration(`${name}Integration`, handler);
      const route = new HttpRoute(this, name, { httpApi, routeKey: key, integration });
      const reason = withKey
        ? "The function checks the API key itself. An API Gateway authorizer cannot return the contract's 401 body."
        : "The contract requires no API key here. The function reads no data.";
      Validations.of(route).acknowledge({ id: "AwsSolutions-APIG4", reason });
    }
    newStage(this, { httpApi, throttle, metricsPerRoute: true });
    this.url = httpApi.apiEndpoint;
  }
}

/** A route. `name`: its construct id. `withKey`: whether its function checks an API key. */
interface Route {
  name: string;
  key: HttpRouteKey;
  handler: IFunction;
  withKey: boolean;
}

function routesOf({ create, get, openapi, extRead, extWrite, mcp, notFound }: Handlers): Route[] {
  return [
    { name: "Create", key: keyOf(operations.create), handler: create, withKey: true },
    { name: "Get", key: keyOf(operations.get), handler: get, withKey: true },
    { name: "Openapi", key: keyOf(operations.openapi), handler: openapi, withKey: false },
    {
      name: "ExtRead",
      key: HttpRouteKey.with(`${basePath}/{proxy+}`, HttpMethod.GET),
      handler: extRead,
      withKey: true,
    },
    {
      name: "ExtHead",
      key: HttpRouteKey.with(`${basePath}/{proxy+}`, HttpMethod.HEAD),
      handler: extRead,
      withKey: true,
    },
    {
      name: "ExtWrite",
      key: HttpRouteKey.with(`${basePath}/{proxy+}`, HttpMethod.ANY),
      handler: extWrite,
      withKey: true,
    },
    { name: "Mcp", key: HttpRouteKey.with(mcpPath, HttpMethod.ANY), handler: mcp, withKey: true },
    { name: "NotFound", key: HttpRouteKey.DEFAULT, handler: notFound, withKey: false },
  ];
}

interface StageProps {
  httpApi: Api;
  throttle: Throttle;
  /** Six metrics for each route, which are billed while it is used. Those of the whole API are free. */
  metricsPerRoute: boolean;
}

/** The stage of an HTTP API, with an access log. */
export function newStage(scope: Construct, { httpApi, throttle, metricsPerRoute }: StageProps): void {
  const accessLogGroup = new LogGroup(scope, "AccessLog", {
    // AWS's resource policy for delivered logs covers this prefix. Without it, the policy grows with every stack.
    logGroupName: `/aws/vendedlogs/apis/${Stack.of(scope).stackName}`,
    retention: logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  new HttpStage(scope, "Stage", {
    httpApi,
    stageName: "$default",
    autoDeploy: true,
    detailedMetricsEnabled: metricsPerRoute,
    throttle,
    accessLogSettings: {
      destination: new LogGroupLogDestination(accessLogGroup),
      format: AccessLogFormat.custom(JSON.stringify(accessLog)),
    },
  });
}
