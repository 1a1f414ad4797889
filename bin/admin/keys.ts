import type { Command } from "commander";
import { findAgent } from "../../src/accounts/agents.ts";
import { createKey, setKeyEnabled } from "../../src/accounts/keys.ts";
import type { ApiKey } from "../../src/accounts/types.ts";
import type { Action } from "./action.ts";
import { expiresOption, expiryOf } from "./option-values.ts";
import { endingText } from "../expiring.ts";
import { expiryFields, isoTime, record, table, withNote } from "./output.ts";

interface CreateOptions {
  agent: string;
  also?: string[];
  name?: string;
  expires?: string;
}

export function addKeyCommands(program: Command, action: Action): void {
  const key = program.command("key").description("Manage API keys.");
  key
    .command("create")
    .description("Create an API key for an agent and print it (shown only once).")
    .requiredOption("--agent <ID>", "agent; of several, the one that is meant where a request names none")
    .option("--also <ID...>", "further agents of the organization that the key can be used for")
    .option("--name <NAME>", "name for people, such as the system that uses the key")
    .option("--expires <TIME>", expiresOption)
    .action(
      action(async ({ accounts, actor }, { agent, also: moreAgents, name, expires }: CreateOptions) => {
        const expiresAt = expires === undefined ? undefined : expiryOf(expires);
        const created = await createKey(accounts, agent, { name, moreAgents, expiresAt, actor: await actor() });
        const { text, json } = record({ api_key: created.key, ...fields(created.stored) });
        return { text: `${text}\n\nThe key is shown only once. Save it now.`, json };
      }),
    );
  key
    .command("list")
    .description("List the keys that can be used for an agent, oldest first, without the keys themselves.")
    .requiredOption("--agent <ID>", "agent")
    .action(
      action(async ({ accounts }, { agent }: { agent: string }) => {
        const { id } = await findAgent(accounts, agent);
        const keys = await accounts.listKeys(id);
        const several = keys.some(({ moreAgents }) => moreAgents) ? ["agent", "more_agents"] : [];
        const columns = ["hint", "name", "enabled", "created_at", "last_used_at", "expires", "hash", ...several];
        const listed = table(keys.map(fields), columns, `No keys. Create one: key create --agent ${id}`);
        return withNote(listed, endingText("key", keys));
      }),
    );
  const setEnabled = (verb: string, enabled: boolean, description: string) =>
    key
      .command(verb)
      .description(description)
      .argument("<KEY>", "the key, its hash or its hint")
      .action(
        action(async ({ accounts, actor }, text: string) =>
          record(fields(await setKeyEnabled(accounts, text, enabled, await actor()))),
        ),
      );
  setEnabled("disable", false, "Reject a key from now on (401).");
  setEnabled("enable", true, "Accept a disabled key again, unless it has expired or its agents are deleted.");
}

function fields({ hash, hint, agentId, moreAgents, enabled, name, createdAt, lastUsedAt, ...ending }: ApiKey) {
  return {
    hint,
    name,
    agent: agentId,
    ...(moreAgents && { more_agents: moreAgents.join(" ") }),
    enabled,
    created_at: isoTime(createdAt),
    last_used_at: lastUsedAt && isoTime(lastUsedAt),
    ...expiryFields(ending),
    hash,
  };
}
