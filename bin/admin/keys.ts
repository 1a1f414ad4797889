import { keyHash, newApiKey } from "../../src/accounts/api-key.ts";
import type { Accounts, ApiKey } from "../../src/accounts/types.ts";
import { findAgent, findLivingAgent } from "./agents.ts";
import { type Command, Problem, required } from "./command.ts";
import { record, table, time } from "./output.ts";

export const keyCommands: Command[] = [
  {
    noun: "key",
    verb: "create",
    summary: "makes an API key of an agent and shows it, this once",
    options: { agent: { value: "ID", required: true } },
    async run({ accounts }, given) {
      const agent = await findLivingAgent(accounts, required(given, "agent"));
      const { key, hash, hint } = newApiKey();
      const { id: agentId, organizationId } = agent;
      const stored: ApiKey = { hash, hint, agentId, organizationId, enabled: true, createdAt: Date.now() };
      await accounts.putKey(stored);
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
    async run({ accounts }, { operand }) {
      const key = { ...(await findKey(accounts, operand)), enabled };
      await accounts.putKey(key);
      return record(fields(key));
    },
  };
}

// Shorter beginnings are typing errors rather than choices. A hint has 9 characters.
const shortestBeginning = 8;

/** The key whose hash or hint begins with `text`, or that is `text`. */
async function findKey(accounts: Accounts, text: string): Promise<ApiKey> {
  const exact = await accounts.findKey(keyHash(text) ?? text.toLowerCase());
  if (exact) return exact;
  const agents = text.length < shortestBeginning ? [] : await accounts.listAgents();
  const keys = (await Promise.all(agents.map(({ id }) => accounts.listKeys(id)))).flat();
  const found = keys.filter(({ hash, hint }) => hint.startsWith(text) || hash.startsWith(text.toLowerCase()));
  const [only] = found;
  // A whole key may stand here: no more than the hint's length of it is repeated.
  const received = JSON.stringify(text.length > 9 && text.startsWith("ak_") ? `${text.slice(0, 9)}…` : text);
  if (!only) {
    throw new Problem(`there is no key ${received}; give a hash or hint out of key list --agent ID, or the key itself`);
  }
  if (found.length > 1) {
    throw new Problem(`${found.length} keys begin with ${received}; give more of the hash (see key list --agent ID)`);
  }
  return only;
}

function fields({ hash, hint, agentId, enabled, createdAt }: ApiKey) {
  return { hint, agent: agentId, enabled, created_at: time(createdAt), hash };
}
