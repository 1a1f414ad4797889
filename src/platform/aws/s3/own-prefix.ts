import { isKept } from "../../../runs/erase/kept.ts";
import { objectPrefixes } from "../dynamodb/table.ts";

/** Key prefix of the objects of a run, an agent or a trial. The lifecycle rules of the bucket exclude what is kept. */
export function ownPrefix(kind: "workspaces" | "texts", owner: string): string {
  return `${isKept(owner) ? objectPrefixes.kept : ""}${objectPrefixes[kind]}${owner}/`;
}
