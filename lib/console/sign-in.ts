import { Stack } from "aws-cdk-lib";
import type { ConsoleRoles, SignIn } from "../../src/manage/sign-in/types.ts";
import type { Settings } from "../settings.ts";
import { cognitoSignIn } from "./cognito.ts";

/** How people sign in: what the page needs for it, and how a token decides about a person's role. */
export interface ConsoleSignIn {
  page: SignIn;
  roles: ConsoleRoles;
}

/** `consoleUrl`: where the provider returns people to, `https://…/console/`. */
export function consoleSignIn(stack: Stack, consoleUrl: string, settings: Settings): ConsoleSignIn {
  if (settings.console === "cognito") return cognitoSignIn(stack, consoleUrl, settings);
  return {
    page: { issuer: settings.consoleIssuer, clientId: settings.consoleClientId, scope: settings.consoleScope },
    roles: {
      claim: settings.consoleRoleClaim,
      operators: settings.consoleOperators,
      viewers: settings.consoleViewers,
    },
  };
}
