import { endsSoon, type Expiring, expiryText, isExpired, soonDays } from "../src/accounts/expiry.ts";
import type { Accounts } from "../src/accounts/account-types.ts";
import { commandLine, dataOption } from "../src/command-line.ts";
import { printableLine } from "./printable.ts";

/** A key or an operator's token. `hint`: its first characters. */
interface Credential extends Expiring {
  hint: string;
  name?: string;
  enabled: boolean;
}

/** Credentials that a text names; it counts further ones. */
const maxNamed = 3;

/**
 * Says which of these are still accepted and end within two weeks, such as `1 API key ends within 14 days: ak_4fK2x9 (billing) in
 * 6 days`. Undefined: none. `noun`: of one credential.
 */
export function endingText(noun: string, credentials: Credential[], now = Date.now()): string | undefined {
  const ending = credentials
    .filter((each) => each.enabled && endsSoon(each, now) && !isExpired(each, now))
    .toSorted((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0));
  if (ending.length === 0) return undefined;
  const named = ending.slice(0, maxNamed).map((each) => {
    const name = each.name === undefined ? "" : ` (${printableLine(each.name, 64)})`;
    return `${each.hint}${name} ${expiryText(each, now)}`;
  });
  const more = ending.length > maxNamed ? [`${ending.length - maxNamed} more`] : [];
  const subject = ending.length === 1 ? `1 ${noun} ends` : `${ending.length} ${noun}s end`;
  return `${subject} within ${soonDays} days: ${[...named, ...more].join(", ")}`;
}

/** A warning when keys or operator tokens of the service end within two weeks. */
export async function endingWarning(accounts: Accounts, dataDir: string): Promise<string | undefined> {
  const agents = (await accounts.listAgents()).filter(({ status }) => status !== "deleted");
  const keys = new Map<string, Credential>(); // a key of several agents is listed by each
  for (const { id } of agents) for (const key of await accounts.listKeys(id)) keys.set(key.hash, key);
  const command = (rest: string): string => commandLine("admin", `${rest}${dataOption(dataDir)}`);
  const texts = [
    { text: endingText("API key", [...keys.values()]), create: "key create --agent AGENT_ID" },
    { text: endingText("operator token", await accounts.listOperators()), create: "operator link" },
  ];
  const found = texts.filter(({ text }) => text !== undefined);
  if (found.length === 0) return undefined;
  const commands = found.map(({ create }) => command(create)).join(" or ");
  return `${found.map(({ text }) => text).join("; ")}. To hand over another one: ${commands}`;
}
