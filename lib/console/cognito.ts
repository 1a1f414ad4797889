import { Aws, CfnOutput, Duration, Fn, RemovalPolicy, type Stack, Validations } from "aws-cdk-lib";
import {
  AccountRecovery,
  CfnManagedLoginBranding,
  CfnUserPoolGroup,
  FeaturePlan,
  ManagedLoginVersion,
  Mfa,
  OAuthScope,
  UserPool,
  type UserPoolClient,
} from "aws-cdk-lib/aws-cognito";
import { ManagedPolicy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { type ConsoleRoles, roleGroups, type SignIn } from "../../src/manage/sign-in/sign-in-types.ts";
import type { Settings } from "../settings.ts";
import { allowDescribeStacks } from "../permissions/describe-stack.ts";
import { consoleOutputs } from "./outputs.ts";

/** How people sign in: what the page needs for it, and how a token decides about a person's role. */
export interface ConsoleSignIn {
  page: SignIn;
  roles: ConsoleRoles;
}

/** A token of a person who lost the role, or whose account was disabled, stays valid for so long. */
const tokenMinutes = 15;
/** After this time, people sign in again. */
const sessionHours = 12;

/** A user pool with managed login. People are invited with `npm run -s admin -- operator invite`. */
export function cognitoSignIn(stack: Stack, consoleUrl: string, settings: Settings): ConsoleSignIn {
  const pool = userPool(stack, consoleUrl);
  const client = pool.addClient("Client", {
    generateSecret: false, // the page is a public client
    oAuth: {
      flows: { authorizationCodeGrant: true },
      scopes: [OAuthScope.OPENID, OAuthScope.EMAIL, OAuthScope.PROFILE],
      callbackUrls: [consoleUrl],
      logoutUrls: [consoleUrl],
    },
    authFlows: { user: true }, // password or passkey, as the pool allows
    preventUserExistenceErrors: true,
    enableTokenRevocation: true,
    idTokenValidity: Duration.minutes(tokenMinutes),
    accessTokenValidity: Duration.minutes(tokenMinutes),
    refreshTokenValidity: Duration.hours(sessionHours),
    refreshTokenRotationGracePeriod: Duration.seconds(30), // a renewal whose response was lost can be repeated
  });
  const baseUrl = signInDomain(pool, client, settings);
  for (const [id, groupName] of Object.entries({ Operators: roleGroups.operator, Viewers: roleGroups.viewer })) {
    new CfnUserPoolGroup(stack, id, { userPoolId: pool.userPoolId, groupName });
  }
  const values = { UserPoolId: pool.userPoolId, InvitePolicyArn: invitePolicy(stack, pool).managedPolicyArn };
  for (const [name, value] of Object.entries(values)) {
    new CfnOutput(stack, name, { value, description: consoleOutputs[name as keyof typeof values] });
  }
  const returnTo = `client_id=${client.userPoolClientId}&logout_uri=${consoleUrl}`;
  return {
    page: {
      // https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-tokens-verifying-a-jwt.html
      issuer: `https://cognito-idp.${Aws.REGION}.${Aws.URL_SUFFIX}/${pool.userPoolId}`,
      clientId: client.userPoolClientId,
      scope: "openid email profile",
      endpoints: {
        authorization: `${baseUrl}/oauth2/authorize`,
        token: `${baseUrl}/oauth2/token`,
        signOut: `${baseUrl}/logout?${returnTo}`,
      },
    },
    roles: {
      claim: "cognito:groups",
      operators: [roleGroups.operator],
      viewers: [roleGroups.viewer],
      organizationValues: true,
    },
  };
}

function userPool(stack: Stack, consoleUrl: string): UserPool {
  const pool = new UserPool(stack, "Users", {
    selfSignUpEnabled: false,
    signInAliases: { email: true },
    signInCaseSensitive: false,
    autoVerify: { email: true },
    keepOriginal: { email: true }, // a changed address counts when it is verified
    accountRecovery: AccountRecovery.EMAIL_ONLY,
    passwordPolicy: {
      minLength: 12,
      requireLowercase: true,
      requireUppercase: true,
      requireDigits: true,
      requireSymbols: true,
      tempPasswordValidity: Duration.days(7),
    },
    signInPolicy: { allowedFirstAuthFactors: { password: true, passkey: true } },
    mfa: Mfa.OPTIONAL,
    mfaSecondFactor: { sms: false, otp: true },
    featurePlan: FeaturePlan.ESSENTIALS,
    userInvitation: {
      emailSubject: "Your account for the agent runs console",
      emailBody:
        `<p>You can sign in at <a href="${consoleUrl}">${consoleUrl}</a>.</p>` +
        "<p>User name: {username}<br>Temporary password, valid for 7 days: {####}</p>",
    },
    removalPolicy: RemovalPolicy.DESTROY, // accounts only: the service's data is in the service stack
    deletionProtection: false,
  });
  const reasons = {
    "AwsSolutions-COG2":
      "A second factor is optional: a person can add an authenticator app, or sign in with a passkey.",
    "AwsSolutions-COG3":
      "Threat protection requires the Plus plan, which is billed per person. Only invited people sign in.",
    "AwsSolutions-COG8": "The Plus plan is billed per person. Only invited people can sign in.",
  };
  for (const [id, reason] of Object.entries(reasons)) Validations.of(pool).acknowledge({ id, reason });
  return pool;
}

/** Words that Cognito rejects in the prefix of a domain. */
const reservedWords = /aws|amazon|cognito/;

/** The domain of the sign-in page. Returns its base URL. */
function signInDomain(pool: UserPool, client: UserPoolClient, { stage }: Settings): string {
  // Prefixes are unique in a region across accounts, so this one has the first 8 digits of the stack's id.
  const stackId = Fn.select(2, Fn.split("/", Aws.STACK_ID));
  const name = reservedWords.test(stage) ? "agent-run" : `agent-run-${stage}`;
  const domainPrefix = `${name}-${Fn.select(0, Fn.split("-", stackId))}`;
  const domain = pool.addDomain("Domain", {
    cognitoDomain: { domainPrefix },
    managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
  });
  // Without a style, managed login shows an error instead of its page.
  new CfnManagedLoginBranding(pool, "Branding", {
    userPoolId: pool.userPoolId,
    clientId: client.userPoolClientId,
    useCognitoProvidedValues: true,
  });
  return domain.baseUrl();
}

/** Permissions for `npm run admin -- operator invite`. The deployment does not attach it to any user or role. */
function invitePolicy(stack: Stack, pool: UserPool): ManagedPolicy {
  const policy = new ManagedPolicy(stack, "InvitePolicy", {
    description: `Invites people to ${stack.stackName}`, // a change would replace the policy
    statements: [
      new PolicyStatement({
        actions: [
          "cognito-idp:AdminCreateUser",
          "cognito-idp:AdminAddUserToGroup",
          "cognito-idp:AdminListGroupsForUser",
          "cognito-idp:AdminRemoveUserFromGroup",
          "cognito-idp:CreateGroup",
        ],
        resources: [pool.userPoolArn],
      }),
    ],
  });
  allowDescribeStacks(policy, stack, stack.stackName);
  return policy;
}
