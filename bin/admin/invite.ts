import type { CognitoIdentityProviderClient } from "@aws-sdk/client-cognito-identity-provider";
import type { Command } from "commander";
import { consoleStackName } from "../../lib/console/outputs.ts";
import { normalizeId } from "../../src/accounts/ids.ts";
import type { Access } from "../../src/accounts/account-types.ts";
import { organizationGroup, roleGroups } from "../../src/manage/sign-in/sign-in-types.ts";
import { connectToAws, credentialsError } from "../aws.ts";
import { CliError, type Io } from "../cli.ts";
import { printableJson } from "../printable.ts";
import { accessOption, organizationOption, roleOf } from "./option-values.ts";
import { type Output, record } from "./output.ts";
import { stackOutputs } from "./stack.ts";

interface InviteOptions {
  role: string;
  organization?: string[];
}

export function addInviteCommand(operator: Command, io: Io): void {
  operator
    .command("invite")
    .description("Invite a person to the web application of a stack (setting console: cognito), or change the role.")
    .argument("<MAIL>", "email address of the person")
    .option("--role <ROLE>", "operator, or viewer, which may only read", "operator")
    .option(...organizationOption)
    .action(async (mail: string, { role, organization }: InviteOptions, command: Command) => {
      const { json, stack } = command.optsWithGlobals<{ json?: true; stack?: string }>();
      if (stack === undefined) {
        throw new CliError("--stack is missing; on one machine, create a link instead: operator link --name NAME");
      }
      const output = await invite(stack, mail, accessOption(roleOf(role), organization));
      io.out(json ? printableJson(output.json) : output.text);
    });
}

/**
 * Invites a person to the web application of a stack (setting `console` `cognito`): creates the account and sets its role.
 * For a person who has an account, it changes the role, and sends the invitation again if it was not used. `stack`: the
 * console's stack, or its service stack.
 */
async function invite(stack: string, email: string, access: Access): Promise<Output> {
  const groups = groupsOf(access);
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
    await setGroups(cognito, { UserPoolId, Username: email }, groups);
    return record({
      email,
      groups: groups.join(", "),
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

/** The groups of the user pool that give an access. */
function groupsOf({ role, organizations = [] }: Access): string[] {
  const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
  const inOne = organizations.map((each) => {
    const id = normalizeId(each.id);
    if (uuid.test(id)) return organizationGroup(each.role, id);
    throw new CliError(`--organization is ${JSON.stringify(each.id)}; expected the id of an organization`);
  });
  return [...(role === undefined ? [] : [roleGroups[role]]), ...inOne];
}

/** Puts an account into groups, which are created if they are missing, and takes it out of the others that give a role. */
async function setGroups(
  cognito: CognitoIdentityProviderClient,
  user: { UserPoolId: string; Username: string },
  groups: string[],
): Promise<void> {
  const client = await import("@aws-sdk/client-cognito-identity-provider");
  const prefixes = Object.values(roleGroups).map((name) => `${name}=`);
  const others: string[] = Object.values(roleGroups);
  for await (const { Groups = [] } of client.paginateAdminListGroupsForUser({ client: cognito }, user)) {
    others.push(
      ...Groups.flatMap(({ GroupName = "" }) => (prefixes.some((each) => GroupName.startsWith(each)) ? GroupName : [])),
    );
  }
  for (const GroupName of others.filter((each) => !groups.includes(each))) {
    await cognito.send(new client.AdminRemoveUserFromGroupCommand({ ...user, GroupName }));
  }
  for (const GroupName of groups) {
    if (GroupName.includes("=")) await createGroup(cognito, user.UserPoolId, GroupName);
    await cognito.send(new client.AdminAddUserToGroupCommand({ ...user, GroupName }));
  }
}

async function createGroup(cognito: CognitoIdentityProviderClient, UserPoolId: string, GroupName: string) {
  const { CreateGroupCommand, GroupExistsException } = await import("@aws-sdk/client-cognito-identity-provider");
  try {
    await cognito.send(new CreateGroupCommand({ UserPoolId, GroupName }));
  } catch (error) {
    if (!(error instanceof GroupExistsException)) throw error;
  }
}
