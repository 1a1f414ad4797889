import { maxKeyAgents } from "../../../accounts/key-agents.ts";
import { reference } from "../../../http/description.ts";
import {
  body,
  flag,
  list,
  nullable,
  object,
  page,
  sha256,
  text,
  time,
  uuid,
} from "../../../http/rest/schemas/schema-builders.ts";

/** The description of the field that ends a new key or token. */
export function expiry(what: string): string {
  return `${what} is rejected from this time on: in the future, at most ten years from now. Default: never.`;
}

const key = {
  id: sha256("The key's ID: its SHA-256, in hex."),
  agent_id: uuid("The agent that the key belongs to: its first one, which is meant where a request names none."),
  more_agent_ids: list("Its further agents. Empty: none.", uuid("An agent.")),
  hint: text("The first characters of the key.", { examples: ["ak_4fGh2k"] }),
  name: nullable(text("Name for people, such as the system that uses the key.")),
  enabled: flag("False: requests with the key are rejected. A key whose agents are all deleted stays disabled."),
  created_at: time("When it was created."),
  expires_at: nullable(time("From when on requests with the key are rejected. Null: it does not expire.")),
  last_used_at: nullable(time("Within the hour before the last request with the key. Null: not used yet.")),
};

export const keySchemas = {
  Key: object("An API key of an agent, without the key itself.", key),
  KeyPage: page(reference("Key"), "Always null: the list has all keys of the agent."),
  CreateKeyRequest: body("An API key to create.", {
    more_agent_ids: list("Further agents of the organization that the key can be used for.", uuid("An agent."), {
      maxItems: maxKeyAgents - 1,
    }),
    name: nullable(text("Name for people, such as the system that uses the key.", { minLength: 1, maxLength: 200 })),
    expires_at: nullable(time(expiry("The key"))),
  }),
  CreatedKey: object("A new API key.", {
    ...key,
    key: text("The key itself. Only this response has it.", { examples: ["ak_4fGh2k…"] }),
  }),
};
