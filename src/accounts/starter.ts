import type { Actor } from "./audit.ts";
import type { Accounts } from "./account-types.ts";

/** How something can be started: by a program with an API key, by an MCP client with one, or by an operator. */
export const starterKinds = ["key", "mcp", "operator"] as const;

/** Who starts a run or sends an input. `id`: the hash of the key, or the operator as in the audit. */
export interface Starter {
  kind: (typeof starterKinds)[number];
  id: string;
}

/** A starter as people know it. `name` absent: the key has none. `hint`: the first characters of a key, if it is still known. */
export interface NamedStarter extends Starter {
  name?: string;
  hint?: string;
}

/** Who starts something: the operator, if there is one, or the holder of the key. Undefined: the service itself. */
export function starterOf(actor: Actor | undefined, holder?: Starter): Starter | undefined {
  return actor === undefined ? holder : { kind: "operator", id: actor };
}

/** Looks up the name of a starter. A key never changes its name. */
export async function nameStarter(accounts: Pick<Accounts, "findKey">, starter: Starter): Promise<NamedStarter> {
  // The audit has names of operators with the hint of their token: `mira (ao_4fK2x9)`.
  if (starter.kind === "operator") return { ...starter, name: starter.id.replace(/ \(ao_[^)]*\)$/, "") };
  const key = await accounts.findKey(starter.id);
  return { ...starter, ...(key?.name !== undefined && { name: key.name }), ...(key && { hint: key.hint }) };
}

/** A record as others may have it: of a key that started or answered it, with the first characters of its hash. */
export function withoutKeyHash<Recorded extends object>(recorded: Recorded): Recorded {
  const { startedBy, by }: { startedBy?: Starter; by?: Starter } = recorded;
  return { ...recorded, ...(startedBy && { startedBy: shortened(startedBy) }), ...(by && { by: shortened(by) }) };
}

function shortened(starter: Starter): Starter {
  return starter.kind === "operator" ? starter : { ...starter, id: starter.id.slice(0, 8) };
}

/** The name of a starter, or what is known of its key: the first characters, or those of its id. */
export function starterName({ id, name, hint }: NamedStarter): string {
  return name ?? hint ?? id.slice(0, 8);
}
