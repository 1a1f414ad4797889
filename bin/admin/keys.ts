import type { Command } from "commander";
import { redactTokens, tokenHash } from "../../src/accounts/token.ts";
import type { Schemas } from "../../src/manage/schema-types.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import { allEntries, type Caller } from "./call.ts";
import { record } from "./output.ts";

const verbs = [
  { verb: "disable", operation: "disable_key", description: "Reject a key from now on (401)." },
  {
    verb: "enable",
    operation: "enable_key",
    description: "Accept a disabled key again, unless it has expired or its agents are deleted.",
  },
] as const;

/** Commands that take a key in the forms in which people have it. */
export function addKeyCommands(key: Command, action: Action): void {
  for (const { verb, operation, description } of verbs) {
    key
      .command(verb)
      .description(description)
      .argument("<KEY>", "the key, its id or its hint")
      .action(
        action(async (session, text: string) =>
          record(await session.call<object>(operation, { key_id: await keyId(session, text) })),
        ),
      );
  }
}

/** Shorter beginnings are likely typing errors. A hint has 9 characters. */
const minLength = 8;

/** The id of a key: the key itself, its id, or the beginning of its id or hint. */
async function keyId(caller: Caller, text: string): Promise<string> {
  const id = tokenHash("ak", text) ?? text.toLowerCase();
  if (/^[0-9a-f]{64}$/.test(id)) return id;
  const all = { limit: 1_000 };
  const agents = text.length < minLength ? [] : await allEntries<{ id: string }>(caller, "list_agents", all);
  const found = new Set<string>(); // a key of several agents is listed by each
  for (const agent of agents) {
    const { data } = await caller.call<Schemas["KeyPage"]>("list_keys", { agent_id: agent.id });
    for (const each of data) if (each.hint.startsWith(text) || each.id.startsWith(id)) found.add(each.id);
  }
  const [only] = found;
  const received = JSON.stringify(redactTokens(text));
  if (only === undefined)
    throw new CliError(`key ${received} does not exist (give the key, its id or its hint; see key list --agent ID)`);
  if (found.size > 1)
    throw new CliError(`${found.size} keys start with ${received} (give more of the id; see key list --agent ID)`);
  return only;
}
