import { findAgent } from "../../src/accounts/agents.ts";
import { createKey, setKeyEnabled } from "../../src/accounts/keys.ts";
import type { ApiKey } from "../../src/accounts/types.ts";
import { type Command, required } from "./command.ts";
import { record, table, time } from "./output.ts";

export const keyCommands: Command[] = [
  {
    noun: "key",
    verb: "create",
    summary: "makes an API key of an agent and shows it, this once",
    options: { agent: { value: "ID", required: true } },
    async run({ accounts }, given) {
      const { key, stored } = await createKey(accounts, required(given, "agent"));
      const { text, json } = record({ api_key: key, ...fields(stored) });
      return { text: `${text}\n\nThe key is shown this once and can't be shown again: keep it now.`, json };
    },
  },
  {
    noun: "key",
    verb: "list",
    summary: "lists an agent's keys, oldest first, without the keys themselves",
    options: { agent: { value: "ID", required: true } },
    async run({ accounts }, given) {
      const { id } = await findAgent(accounts, required(given, "agent"));
      const rows = (await accounts.listKeys(id)).map(fields);
      return table(rows, ["hint", "enabled", "created_at", "hash"], `There is no key yet: key create --agent ${id}`);
    },
  },
  change("disable", false, "refuses a key from now on (401)"),
  change("enable", true, "accepts a disabled key again"),
];

/** A command that switches a key. One that is so already is left as it is. */
function change(verb: string, enabled: boolean, summary: string): Command {
  return {
    noun: "key",
    verb,
    operand: "KEY",
    summary: `${summary}; KEY: its hash, hint, or the key itself`,
    run: async ({ accounts }, { operand }) => record(fields(await setKeyEnabled(accounts, operand, enabled))),
  };
}

function fields({ hash, hint, agentId, enabled, createdAt }: ApiKey) {
  return { hint, agent: agentId, enabled, created_at: time(createdAt), hash };
}
