import type { Command } from "commander";
import { createOperator, listOperators, revokeOperator } from "../../src/accounts/operators.ts";
import { greatestRole } from "../../src/accounts/access.ts";
import type { Operator, OperatorRole } from "../../src/accounts/types.ts";
import { CliError, type Io } from "../cli.ts";
import { consoleLink } from "../console-link.ts";
import type { Action } from "./action.ts";
import { systemUser } from "./operator-platform.ts";
import { addInviteCommand } from "./invite.ts";
import { accessOf, expiresOption, expiryOf, organizationOption, roleOf } from "./option-values.ts";
import { endingText } from "../expiring.ts";
import { expiryFields, isoTime, record, table, withNote } from "./output.ts";

interface LinkOptions {
  name: string;
  role: string;
  organization: string[];
  expires?: string;
  baseUrl?: string;
}

export function addOperatorCommands(program: Command, action: Action, io: Io): void {
  const operator = program
    .command("operator")
    .description("Manage who may use the console: by links on one machine, by accounts on AWS.");
  operator
    .command("link")
    .description("Create an operator and print the link that signs in to the console (shown only once).")
    .option("--name <NAME>", "name for people, which the audit shows", systemUser())
    .option("--role <ROLE>", "operator, or viewer, which may only read", "operator")
    .option(...organizationOption)
    .option("--expires <TIME>", expiresOption)
    .option("--base-url <URL>", "address of the service in the link (default: that of the running service)")
    .action(
      action(async ({ accounts, consoleAddress, actor }, options: LinkOptions) => {
        const { name, role, organization, expires, baseUrl } = options;
        const access = accessOf(roleOf(role), organization);
        const ends = expires === undefined ? {} : { expiresAt: expiryOf(expires) };
        const address = consoleAddress(baseUrl === undefined ? undefined : baseUrlOf(baseUrl));
        const { token, stored } = await createOperator(accounts, { name, ...access, ...ends }, await actor());
        const { text, json } = record({ console_url: consoleLink(address, token), ...fields(stored) });
        const where = access.organizations ? " in these organizations" : "";
        const can = may[greatestRole(access) ?? "viewer"];
        const advice = `The link is shown only once. It contains the token: anyone who has it can ${can}${where}.`;
        return { text: `${text}\n\n${advice}\nRevoke it: operator revoke ${stored.hint}`, json };
      }),
    );
  operator
    .command("list")
    .description("List operators, oldest first, without their tokens.")
    .action(
      action(async ({ accounts, requireTokens }) => {
        requireTokens();
        const columns = [
          "hint",
          "name",
          "role",
          "enabled",
          "created_at",
          "last_used_at",
          "expires",
          "id",
          "organizations",
        ];
        const operators = await listOperators(accounts);
        const listed = table(operators.map(fields), columns, "No operators. Create one: operator link");
        return withNote(listed, endingText("token", operators));
      }),
    );
  operator
    .command("revoke")
    .description("Reject the token of an operator from now on.")
    .argument("<ID>", "the operator's id, the hint of its token, or the token")
    .action(
      action(async ({ accounts, requireTokens, actor }, text: string) => {
        requireTokens();
        return record(fields(await revokeOperator(accounts, text, await actor())));
      }),
    );
  addInviteCommand(operator, io);
}

const may: Record<OperatorRole, string> = { operator: "do everything", viewer: "read everything" };

function baseUrlOf(text: string): string {
  const url = URL.parse(text);
  const isBase = url && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "" && url.hash === "";
  if (isBase) return url.href;
  throw new CliError(`--base-url is not an address of the service; expected a URL such as http://127.0.0.1:8787`);
}

function fields({ id, hint, name, role, organizations, enabled, createdAt, lastUsedAt, ...ending }: Operator) {
  return {
    id,
    hint,
    name,
    role,
    organizations: organizations?.map((each) => `${each.id}=${each.role}`).join(", "),
    enabled,
    created_at: isoTime(createdAt),
    last_used_at: lastUsedAt && isoTime(lastUsedAt),
    ...expiryFields(ending),
  };
}
