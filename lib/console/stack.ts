import { CfnOutput, Stack, Validations } from "aws-cdk-lib";
import { HttpApi, HttpMethod, HttpRoute, HttpRouteKey, type IHttpRouteAuthorizer } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpJwtAuthorizer } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { createAlarm, failedRequests } from "../monitoring/alarm.ts";
import { newStage } from "../http-api.ts";
import type { Settings } from "../settings.ts";
import { sharedValues } from "../shared-values.ts";
import { consoleFunctions, sharedOutputs } from "./functions.ts";
import { consoleOutputs, consoleStackName } from "./outputs.ts";
import { consoleSignIn } from "./sign-in.ts";

/** Requests of all people together. An open page sends about one a second. */
const throttle = { rateLimit: 50, burstLimit: 200 };

/**
 * The web application and its API for people who sign in: an HTTP API whose authorizer checks their tokens. It holds no
 * data of the service and no part of the service needs it, so it is not protected from deletion.
 */
export class ConsoleStack extends Stack {
  /** `frontDoor`: absent without a front door. */
  constructor(scope: Construct, service: Stack, frontDoor: Stack | undefined, settings: Settings) {
    const stackName = consoleStackName(settings.stage);
    super(scope, stackName, { stackName, description: "Agent Run Service: web application" });
    const { stage } = settings;
    const values = sharedValues(service, this, stage, sharedOutputs);
    const ServiceUrl = frontDoor
      ? sharedValues(frontDoor, this, stage, ["BaseUrl"]).BaseUrl
      : sharedValues(service, this, stage, ["ApiUrl"]).ApiUrl;

    const httpApi = new HttpApi(this, "Api", { description: "Web application", createDefaultStage: false });
    const consoleUrl = `${httpApi.apiEndpoint}/console/`;
    const signIn = consoleSignIn(this, consoleUrl, settings);
    const { Page, Read, Write } = consoleFunctions(this, settings, signIn, { ...values, ServiceUrl });

    const route = (name: string, routeKey: HttpRouteKey, handler: IFunction, authorizer?: IHttpRouteAuthorizer) =>
      new HttpRoute(this, `${name}Route`, {
        httpApi,
        routeKey,
        integration: new HttpLambdaIntegration(`${name}Integration`, handler),
        ...(authorizer && { authorizer }),
      });
    const authorizer = new HttpJwtAuthorizer("Authorizer", signIn.page.issuer, { jwtAudience: [signIn.page.clientId] });
    route("Read", HttpRouteKey.with("/manage/v1/{proxy+}", HttpMethod.GET), Read, authorizer);
    route("Write", HttpRouteKey.with("/manage/v1/{proxy+}", HttpMethod.ANY), Write, authorizer);
    const open = [
      route("Openapi", HttpRouteKey.with("/manage/v1/openapi.json", HttpMethod.GET), Page),
      route("Page", HttpRouteKey.DEFAULT, Page),
    ];
    newStage(this, { httpApi, throttle, metricsPerRoute: false });

    const topic = Topic.fromTopicArn(this, "Topic", values.AlarmTopicArn);
    createAlarm(this, { stackName: service.stackName, topic }, "errors-console", {
      symptom: "More than 5 % of the console's requests fail with a 5xx status",
      metric: failedRequests(httpApi),
      above: 0.05,
    });
    new CfnOutput(this, "ConsoleUrl", { value: consoleUrl, description: consoleOutputs.ConsoleUrl });
    for (const each of open) {
      Validations.of(each).acknowledge({
        id: "AwsSolutions-APIG4",
        reason: "A browser loads the page before its user signs in. The function reads no data.",
      });
    }
  }
}
