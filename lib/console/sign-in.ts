import type { Stack } from "aws-cdk-lib";
import type { Settings } from "../settings.ts";
import { cognitoSignIn, type ConsoleSignIn } from "./cognito.ts";

/** How people sign in. `consoleUrl`: where the provider returns people to, `https://…/console/`. */
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
