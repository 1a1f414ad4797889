import type { CognitoIdentityProviderClient } from "@aws-sdk/client-cognito-identity-provider";
import type { Command } from "commander";
import { consoleStackName } from "../../lib/console/outputs.ts";
import type { OperatorRole } from "../../src/accounts/types.ts";
import { roleGroups } from "../../src/manage/sign-in/types.ts";
import { connectToAws, credentialsError } from "../aws.ts";
import { CliError, type Io } from "../cli.ts";
import { printableJson } from "../printable.ts";
import { roleOf } from "./option-values.ts";
import { type Output, record } from "./output.ts";
import { stackOutputs } from "./stack.ts";

export function addInviteCommand(operator: Command, io: Io): void {
  operator
    .command("invite")
    .description("Invite a person to the web application of a stack (setting console: cognito), or change the role.")
    .argument("<MAIL>", "email address of the person")
    .option("--role <ROLE>", "operator, or viewer, which may only read", "operator")
    .action(async (mail: string, { role }: { role: string }, command: Command) => {
      const { json, stack } = command.optsWithGlobals<{ json?: true; stack?: string }>();
      if (stack === undefined) {
        throw new CliError("--stack is missing; on one machine, create a link instead: operator link --name NAME");
      }
      const output = await invite(stack, mail, roleOf(role));
      io.out(json ? printableJson(output.json) : output.text);
    });
}

/**
 * Invites a person to the web application of a stack (setting `console` `cognito`): creates the account and sets its role.
 * For a person who has an account, it changes the role, and sends the invitation again if it was not used. `stack`: the
 * console's stack, or its service stack.
 */
async function invite(stack: string, email: string, role: OperatorRole): Promise<Output> {
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) {
    throw new CliError(`${JSON.stringify(email)} is not an email address; expected one such as ada@example.com`);
  }
  const consoleStack = stack.replace(/^AgentRunService-/, consoleStackName(""));
  const aws = await connectToAws();
  const outputs = await stackOutputs(aws, consoleStack);
  aws.cloudFormation.destroy();
  const UserPoolId = outputs.get("UserPoolId");
  if (UserPoolId === undefined) {
    throw new CliError(
      `stack ${consoleStack} has no user pool; its people sign in with another provider (setting console), ` +
        "which decides about their roles",
    );
  }
  const { CognitoIdentityProviderClient: Client } = await import("@aws-sdk/client-cognito-identity-provider");
  const cognito = new Client({ region: aws.region, ...(aws.endpoint && { endpoint: aws.endpoint }) });
  try {
    const invited = await createAccount(cognito, UserPoolId, email);
    await setRole(cognito, { UserPoolId, Username: email }, role);
    return record({
      email,
      role,
      invitation: invited ? "sent by email" : "not sent: the account is in use",
      console: outputs.get("ConsoleUrl"),
    });
  } catch (error) {
    throw credentialsError(error) ?? error;
  } finally {
    cognito.destroy();
  }
}

/** Creates the account, or sends the invitation again. Resolves with whether Cognito sends an email. */
async function createAccount(
  cognito: CognitoIdentityProviderClient,
  UserPoolId: string,
  Username: string,
): Promise<boolean> {
  const { AdminCreateUserCommand, UnsupportedUserStateException, UsernameExistsException } =
    await import("@aws-sdk/client-cognito-identity-provider");
  const account = {
    UserPoolId,
    Username,
    UserAttributes: [
      { Name: "email", Value: Username },
      { Name: "email_verified", Value: "true" }, // the temporary password reaches only its owner
    ],
  };
  try {
    await cognito.send(new AdminCreateUserCommand({ ...account, DesiredDeliveryMediums: ["EMAIL"] }));
    return true;
  } catch (error) {
    if (!(error instanceof UsernameExistsException)) throw error;
  }
  try {
    await cognito.send(
      new AdminCreateUserCommand({ ...account, DesiredDeliveryMediums: ["EMAIL"], MessageAction: "RESEND" }),
    );
    return true;
  } catch (error) {
    if (error instanceof UnsupportedUserStateException) return false; // the person has chosen a password
    throw error;
  }
}

/** Puts an account into the group of a role, and takes it out of the others. */
async function setRole(
  cognito: CognitoIdentityProviderClient,
  user: { UserPoolId: string; Username: string },
  role: OperatorRole,
): Promise<void> {
  const { AdminAddUserToGroupCommand, AdminRemoveUserFromGroupCommand } =
    await import("@aws-sdk/client-cognito-identity-provider");
  for (const [each, GroupName] of Object.entries(roleGroups)) {
    if (each !== role) await cognito.send(new AdminRemoveUserFromGroupCommand({ ...user, GroupName }));
  }
  await cognito.send(new AdminAddUserToGroupCommand({ ...user, GroupName: roleGroups[role] }));
}
