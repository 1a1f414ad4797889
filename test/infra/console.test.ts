import { Template } from "aws-cdk-lib/assertions";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, test } from "vitest";
import cdkJson from "../../cdk.json" with { type: "json" };
import { serviceApp } from "../../lib/service-app.ts";
import { type Resource, short } from "./synth.ts";

function synthesizeConsole(context: Record<string, unknown>) {
  const { app, stack, webConsole } = serviceApp({ ...cdkJson.context, "aws:cdk:bundling-stacks": [], ...context });
  if (!webConsole) throw new Error("console is off");
  const resources = Template.fromStack(webConsole).toJSON()["Resources"] as Record<string, Resource>;
  return {
    app,
    stack: webConsole,
    service: stack,
    resources: Object.values(resources),
    all: (type: string): [string, Record<string, unknown>][] =>
      Object.entries(resources)
        .filter(([, resource]) => resource.Type === type)
        .map(([id, { Properties }]) => [id.replace(/[0-9A-F]{8}$/, ""), short(Properties) as Record<string, unknown>]),
  };
}

const cognito = synthesizeConsole({ console: "cognito" });
const oidc = synthesizeConsole({
  console: "oidc",
  consoleIssuer: "https://login.example.com",
  consoleClientId: "agent-runs",
  consoleOperators: "platform",
  consoleViewers: "staff",
  largeBodies: "off",
});
const both = [cognito, oidc];

/** The properties of the only resource of a type. */
function only({ all }: typeof cognito, type: string): Record<string, unknown> {
  const [[, properties] = ["", {}], ...others] = all(type);
  expect(others).toEqual([]);
  return properties;
}

test("the console is not deployed by default", () => {
  expect(serviceApp({ ...cdkJson.context, "aws:cdk:bundling-stacks": [] }).webConsole).toBeUndefined();
});

test("cdk-nag accepts both kinds of sign-in", () => {
  for (const { app } of both) expect(new AwsSolutionsChecks(app).validateScope(app).violations).toEqual([]);
});

test("only the page and the OpenAPI document can be read without a token, from a function without permissions", () => {
  for (const found of both) {
    const routes = found
      .all("AWS::ApiGatewayV2::Route")
      .map(([, { RouteKey, AuthorizationType, AuthorizerId, Target }]) =>
        [RouteKey, AuthorizationType, AuthorizerId, String(Target).replace(/^integrations\/<(\w+?)Route.*/, "$1")].join(
          " ",
        ),
      );
    expect(routes).toEqual([
      "GET /manage/v1/{proxy+} JWT <ApiAuthorizer> Read",
      "ANY /manage/v1/{proxy+} JWT <ApiAuthorizer> Write",
      "GET /manage/v1/openapi.json NONE  Openapi",
      "$default NONE  Page",
    ]);
    const targets = found.all("AWS::ApiGatewayV2::Integration").map(([, { IntegrationUri }]) => IntegrationUri);
    expect(targets).toEqual(["<Read.Arn>", "<Write.Arn>", "<Page.Arn>", "<Page.Arn>"]);
  }
});

test("the API accepts tokens of this issuer for this client only, and no requests of other origins", () => {
  const authorizers = both.map((found) => only(found, "AWS::ApiGatewayV2::Authorizer")["JwtConfiguration"]);
  expect(authorizers).toEqual([
    { Issuer: "https://cognito-idp.<AWS::Region>.<AWS::URLSuffix>/<Users>", Audience: ["<UsersClient>"] },
    { Issuer: "https://login.example.com", Audience: ["agent-runs"] },
  ]);
  for (const found of both) expect(only(found, "AWS::ApiGatewayV2::Api")).not.toHaveProperty("CorsConfiguration");
});

test("the API knows the environments of the stack, unless nothing runs there", () => {
  const imagesOf = (found: typeof cognito) =>
    found.all("AWS::Lambda::Function").flatMap(([id, { Environment }]) => {
      const { Variables } = (Environment ?? {}) as { Variables?: Record<string, unknown> };
      return Variables?.["ENVIRONMENT_IMAGES"] === undefined ? [] : [id];
    });
  expect(imagesOf(cognito)).toEqual(["Read", "Write"]);
  expect(imagesOf(synthesizeConsole({ console: "cognito", sandbox: "off" }))).toEqual([]);
  const template = Template.fromStack(cognito.service).toJSON() as { Outputs: Record<string, { Value: string }> };
  expect(JSON.parse(template.Outputs["EnvironmentImages"]?.Value ?? "")).toEqual({
    linux: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
});

test("requests are throttled and logged without tokens", () => {
  for (const found of both) {
    const { DefaultRouteSettings, AccessLogSettings } = only(found, "AWS::ApiGatewayV2::Stage");
    expect(DefaultRouteSettings).toEqual({
      DetailedMetricsEnabled: false,
      ThrottlingBurstLimit: 200,
      ThrottlingRateLimit: 50,
    });
    expect(JSON.stringify(AccessLogSettings)).not.toMatch(/authoriz|header/i);
  }
});

test("permissions of the functions do not depend on the sign-in and name what they are for", () => {
  const [statements, statementsOfOidc] = both.map(({ all }) =>
    all("AWS::IAM::Policy").map(([, { PolicyDocument }]) => (PolicyDocument as { Statement: object[] }).Statement),
  );
  expect(statements).toHaveLength(3);
  expect(statementsOfOidc).toEqual(statements);
  for (const each of statements?.flat() ?? []) expect(each).not.toHaveProperty("Resource", "*");
});

test("the functions know which values of which claim give a role", () => {
  const rolesOf = ({ all }: typeof cognito) =>
    all("AWS::Lambda::Function").map(([, { Environment }]) => {
      const { CONSOLE_ROLES } = (Environment as { Variables: Record<string, string> }).Variables;
      return CONSOLE_ROLES === undefined ? undefined : (JSON.parse(CONSOLE_ROLES) as unknown);
    });
  const groups = {
    claim: "cognito:groups",
    operators: ["operators"],
    viewers: ["viewers"],
    organizationValues: true,
  };
  expect(rolesOf(cognito)).toEqual([undefined, groups, groups]);
  const claims = { claim: "groups", operators: ["platform"], viewers: ["staff"] };
  expect(rolesOf(oidc)).toEqual([undefined, claims, claims]);
});

test("the page is told how to sign people in", () => {
  const signInOf = ({ all }: typeof cognito): unknown => {
    const page = all("AWS::Lambda::Function").find(([name]) => name === "Page")?.[1]["Environment"];
    return JSON.parse(String((page as { Variables: Record<string, string> }).Variables["SIGN_IN"]));
  };
  const domain = "https://<UsersDomain>.auth.<AWS::Region>.amazoncognito.com";
  expect(signInOf(cognito)).toEqual({
    issuer: "https://cognito-idp.<AWS::Region>.<AWS::URLSuffix>/<Users>",
    clientId: "<UsersClient>",
    scope: "openid email profile",
    endpoints: {
      authorization: `${domain}/oauth2/authorize`,
      token: `${domain}/oauth2/token`,
      signOut: `${domain}/logout?client_id=<UsersClient>&logout_uri=<Api.ApiEndpoint>/console/`,
    },
  });
  expect(signInOf(oidc)).toEqual({
    issuer: "https://login.example.com",
    clientId: "agent-runs",
    scope: "openid profile email",
  });
});

test("a failing console notifies the service's topic, under a name that its policy accepts", () => {
  for (const found of both) {
    const { AlarmName, AlarmActions, AlarmDescription } = only(found, "AWS::CloudWatch::Alarm");
    expect(AlarmName).toBe(`${found.service.stackName}-errors-console`);
    expect(JSON.stringify(AlarmActions)).toContain("AlarmTopicArn");
    expect(AlarmDescription).toMatch(/Runbook: docs\/operations\.md#errors$/);
  }
});

test("cdk destroy leaves nothing: the stack is not protected, and no resource is kept", () => {
  for (const { stack, resources, all } of both) {
    expect(stack.terminationProtection).toBe(false);
    for (const { DeletionPolicy = "Delete" } of resources) expect(DeletionPolicy).toBe("Delete");
    // Each function's log is a resource of the stack, and no function of CDK's own is there.
    expect(all("AWS::Logs::LogGroup")).toHaveLength(4);
    for (const [, { RetentionInDays }] of all("AWS::Logs::LogGroup")) expect(RetentionInDays).toBe(30);
    expect(all("AWS::Lambda::Function").map(([name]) => name)).toEqual(["Page", "Read", "Write"]);
  }
});

describe("cognito", () => {
  test("only invited people have an account, with a verified email address", () => {
    expect(only(cognito, "AWS::Cognito::UserPool")).toMatchObject({
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      UsernameAttributes: ["email"],
      UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ["email"] },
      DeletionProtection: "INACTIVE",
    });
  });

  test("people can add an authenticator app or a passkey, and no text messages are sent", () => {
    expect(only(cognito, "AWS::Cognito::UserPool")).toMatchObject({
      MfaConfiguration: "OPTIONAL",
      EnabledMfas: ["SOFTWARE_TOKEN_MFA"],
      Policies: { SignInPolicy: { AllowedFirstAuthFactors: ["PASSWORD", "WEB_AUTHN"] } },
      UserPoolTier: "ESSENTIALS",
    });
  });

  test("the page is a public client that uses the authorization code flow and rotates its refresh token", () => {
    expect(only(cognito, "AWS::Cognito::UserPoolClient")).toMatchObject({
      GenerateSecret: false,
      AllowedOAuthFlows: ["code"],
      AllowedOAuthScopes: ["openid", "email", "profile"],
      CallbackURLs: ["<Api.ApiEndpoint>/console/"],
      LogoutURLs: ["<Api.ApiEndpoint>/console/"],
      ExplicitAuthFlows: ["ALLOW_USER_AUTH"],
      IdTokenValidity: 15,
      RefreshTokenValidity: 720,
      TokenValidityUnits: { IdToken: "minutes", RefreshToken: "minutes" },
      RefreshTokenRotation: { Feature: "ENABLED", RetryGracePeriodSeconds: 30 },
      PreventUserExistenceErrors: "ENABLED",
    });
  });

  test("the sign-in page is the managed login, with a style and a domain of this stack", () => {
    expect(only(cognito, "AWS::Cognito::UserPoolDomain")).toMatchObject({ ManagedLoginVersion: 2 });
    const { Domain } = only(cognito, "AWS::Cognito::UserPoolDomain");
    expect(Domain).toBe("agent-run-prod-<AWS::StackId>.split(/)[2].split(-)[0]");
    expect(only(cognito, "AWS::Cognito::ManagedLoginBranding")).toEqual({
      ClientId: "<UsersClient>",
      UserPoolId: "<Users>",
      UseCognitoProvidedValues: true,
    });
    const reserved = synthesizeConsole({ console: "cognito", stage: "aws-test" }); // Cognito rejects this word in a domain
    expect(only(reserved, "AWS::Cognito::UserPoolDomain")["Domain"]).toBe(
      "agent-run-<AWS::StackId>.split(/)[2].split(-)[0]",
    );
  });

  test("the groups are those that give a role", () => {
    const groups = cognito.all("AWS::Cognito::UserPoolGroup").map(([, { GroupName }]) => GroupName);
    expect(groups).toEqual(["operators", "viewers"]);
  });

  test("who may invite people is decided by a policy that is attached to no one", () => {
    const { PolicyDocument, Users, Roles, Groups } = only(cognito, "AWS::IAM::ManagedPolicy");
    expect([Users, Roles, Groups]).toEqual([undefined, undefined, undefined]);
    const { Statement } = PolicyDocument as { Statement: { Action: unknown; Resource: unknown }[] };
    expect(Statement.map(({ Action, Resource }) => [Action, Resource])).toEqual([
      [
        [
          "cognito-idp:AdminAddUserToGroup",
          "cognito-idp:AdminCreateUser",
          "cognito-idp:AdminListGroupsForUser",
          "cognito-idp:AdminRemoveUserFromGroup",
          "cognito-idp:CreateGroup",
        ],
        "<Users.Arn>",
      ],
      [
        "cloudformation:DescribeStacks",
        "arn:aws:cloudformation:<AWS::Region>:<AWS::AccountId>:stack/AgentRunConsole-prod/*",
      ],
    ]);
  });
});

test("oidc deploys no user pool", () => {
  expect(oidc.resources.filter(({ Type }) => Type.startsWith("AWS::Cognito"))).toEqual([]);
});
