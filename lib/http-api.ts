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
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { type Operation, operations } from "../src/api/contract.ts";

export interface HttpApiProps {
  create: IFunction;
  get: IFunction;
  openapi: IFunction;
  /** Handles every other path and method. */
  notFound: IFunction;
  logRetention: RetentionDays;
  throttle: Throttle;
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

/** API Gateway HTTP API with the routes of the contract, one function per route. */
export class HttpApi extends Construct {
  /** Base URL without a trailing slash. */
  readonly url: string;

  constructor(scope: Construct, id: string, { create, get, openapi, notFound, logRetention, throttle }: HttpApiProps) {
    super(scope, id);
    const httpApi = new Api(this, "Api", { description: "Agents API", createDefaultStage: false });

    const route = (name: string, routeKey: HttpRouteKey, handler: IFunction): HttpRoute =>
      new HttpRoute(this, name, {
        httpApi,
        routeKey,
        integration: new HttpLambdaIntegration(`${name}Integration`, handler),
      });
    const routes = {
      create: route("Create", keyOf(operations.create), create),
      get: route("Get", keyOf(operations.get), get),
      openapi: route("Openapi", keyOf(operations.openapi), openapi),
      notFound: route("NotFound", HttpRouteKey.DEFAULT, notFound),
    };

    newStage(this, { httpApi, logRetention, throttle, metricsPerRoute: true });
    this.url = httpApi.apiEndpoint;

    for (const each of [routes.create, routes.get]) {
      Validations.of(each).acknowledge({
        id: "AwsSolutions-APIG4",
        reason:
          "The function checks the API key itself. An API Gateway authorizer cannot return the contract's 401 body.",
      });
    }
    for (const each of [routes.openapi, routes.notFound]) {
      Validations.of(each).acknowledge({
        id: "AwsSolutions-APIG4",
        reason: "The contract requires no API key here. The function reads no data.",
      });
    }
  }
}

interface StageProps {
  httpApi: Api;
  logRetention: RetentionDays;
  throttle: Throttle;
  /** Six metrics for each route, which are billed while it is used. Those of the whole API are free. */
  metricsPerRoute: boolean;
}

/** The stage of an HTTP API, with an access log. */
export function newStage(scope: Construct, { httpApi, logRetention, throttle, metricsPerRoute }: StageProps): void {
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
