import { posix } from "node:path";
import { parseXml } from "./xml.ts";
import { readMemberText, type ZipMember } from "../zip/zip-archive.ts";

/** A reference from one part of an Office document to another one, or to an address outside of it. */
export interface Relationship {
  id: string;
  /** An address that ends with what the target is, such as `/chart`. */
  type: string;
  /** The path of the target in the archive; of an external one its address. */
  target: string;
  isExternal: boolean;
}

/** The relationships of a part. Empty `path`: those of the whole document. */
export async function relationships(members: ZipMember[], path: string): Promise<Relationship[]> {
  const { dir, base } = posix.parse(path);
  const found: Relationship[] = [];
  const xml = await readMemberText(members, posix.join(dir, "_rels", `${base}.rels`));
  if (xml === undefined) return found;
  parseXml(xml, {
    open(name, { Id: id = "", Type: type = "", Target: target = "", TargetMode: mode }) {
      const isExternal = mode === "External";
      const resolved = target.startsWith("/") ? target.slice(1) : posix.join(dir, target);
      if (name === "Relationship") found.push({ id, type, target: isExternal ? target : resolved, isExternal });
    },
    close() {},
    text() {},
  });
  return found;
}

/** The path of the first part of a kind, such as `numbering`. */
export function partOf(relations: Relationship[], kind: string): string | undefined {
  return relations.find(({ type, isExternal }) => !isExternal && type.endsWith(`/${kind}`))?.target;
}
