import type { Command } from "commander";
import { greatestRole } from "../../src/accounts/access.ts";
import { revokeOperator } from "../../src/accounts/operators.ts";
import type { Schemas } from "../../src/manage/schema-types.ts";
import { wireOperator } from "../../src/manage/wire/operator.ts";
import type { Io } from "../cli.ts";
import { consoleLink } from "../console-link.ts";
import type { Action } from "./action.ts";
import { serviceUrl } from "./call.ts";
import { withEnding } from "./commands.ts";
import { addInviteCommand } from "./invite.ts";
import { systemUser } from "./operator-platform.ts";
import { accessOption, organizationOption, roleOf, timeOption } from "./option-values.ts";
import { record, rowsText } from "./output.ts";

interface LinkOptions {
  name: string;
  role: string;
  organization?: string[];
  expiresAt?: string;
  baseUrl?: string;
}

export function addOperatorCommands(operator: Command, action: Action, io: Io): void {
  addLinkCommand(operator, action);
  addListCommand(operator, action);
  addRevokeCommand(operator, action);
  addInviteCommand(operator, io);
}

function addLinkCommand(operator: Command, action: Action): void {
  operator
    .command("link")
    .description("Create an operator and print the link that signs in to the console (shown only once).")
    .option("--name <NAME>", "name for people, which the audit shows", systemUser())
    .option("--role <ROLE>", "operator, or viewer, which may only read", "operator")
    .option(...organizationOption)
    .option("--expires-at <TIME>", "when it ends, such as 90d or 2026-11-01 (default: never)")
    .option("--base-url <URL>", "address of the service in the link (default: that of the running service)")
    .action(
      action(async (session, { name, role, organization, expiresAt, baseUrl }: LinkOptions) => {
        const access = accessOption(roleOf(role), organization);
        const expires_at = expiresAt === undefined ? undefined : timeOption("expires_at", expiresAt);
        const address = session.consoleAddress(
          baseUrl === undefined ? undefined : serviceUrl("--base-url", baseUrl).href,
        );
        const given = { name, ...access, expires_at };
        const { token, ...created } = await session.call<Schemas["CreatedOperator"]>("create_operator", given);
        const json = { console_url: consoleLink(address, token), ...created };
        const where = access.organizations ? " in these organizations" : "";
        const can = greatestRole(access) === "operator" ? "do" : "read";
        const advice = `The link is shown only once. It contains the token: anyone who has it can ${can} everything${where}.`;
        return { text: `${record(json).text}\n\n${advice}\nRevoke it: operator revoke ${created.hint}`, json };
      }),
    );
}

function addListCommand(operator: Command, action: Action): void {
  operator
    .command("list")
    .description("List operators, oldest first, without their tokens.")
    .action(
      action(async (session) => {
        session.requireTokens();
        const json = await session.call<Schemas["OperatorPage"]>("list_operators");
        const columns = [
          "hint",
          "name",
          "role",
          "enabled",
          "created_at",
          "last_used_at",
          "expires_at",
          "id",
          "organizations",
        ];
        const text = rowsText(json.data, columns, "No operators. Create one: operator link");
        return { text: withEnding("token", json.data, text), json };
      }),
    );
}

function addRevokeCommand(operator: Command, action: Action): void {
  operator
    .command("revoke")
    .description("Revoke the token of an operator.")
    .argument("<ID>", "the operator's id, the hint of its token, or the token")
    .action(
      action(async (session, text: string) => {
        session.requireTokens();
        // Who has the data can make another operator, and may revoke the last one.
        if (session.hasStores) {
          const { accounts, actor } = session.platform();
          return record(wireOperator(await revokeOperator(accounts, text, await actor())));
        }
        const { data } = await session.call<Schemas["OperatorPage"]>("list_operators");
        const found = data.find(({ id, hint }) => id === text.toLowerCase() || hint === text);
        const given = { operator_id: found?.id ?? text };
        return record(await session.call<Schemas["Operator"]>("revoke_operator", given));
      }),
    );
}
