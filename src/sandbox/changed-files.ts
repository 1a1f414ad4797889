import type { FileSystem, Node } from "./cpython.ts";
import { sameContent } from "./engine.ts";
import type { SandboxFile } from "./sandbox-types.ts";

/** Bytes of a path: longer ones cannot be saved. */
const maxPathBytes = 1_000;

/** What a program changed in a folder. `links`: paths of links and devices, which are not followed. `deep`: too long paths. */
export interface FolderChanges {
  written: SandboxFile[];
  deleted: string[];
  links: string[];
  deep: number;
}

/** Compares the files in `folder` with `before`. A folder that is a link by now counts as deleted. */
export function filesChangedBy(FS: FileSystem, folder: string, before: SandboxFile[]): FolderChanges {
  const original = new Map(before.map(({ name, content }) => [name, content]));
  const deleted = new Set(original.keys());
  const found: FolderChanges = { written: [], deleted: [], links: [], deep: 0 };
  const pending: { name: string; node: Node }[] = [{ name: "", node: nodeOf(FS, folder) }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { name, node } = next;
    if (Buffer.byteLength(name) > maxPathBytes) found.deep++;
    else if (FS.isDir(node.mode)) {
      for (const [child, childNode] of Object.entries(node.contents ?? {})) {
        pending.push({ name: name === "" ? child : `${name}/${child}`, node: childNode as Node });
      }
    } else if (FS.isFile(node.mode)) {
      deleted.delete(name);
      const content = bytesOf(node);
      if (!sameContent(original.get(name), content)) found.written.push({ name, content });
    } else found.links.push(name);
  }
  found.written.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { ...found, deleted: [...deleted].toSorted() };
}

/** A copy: a part of a larger buffer would be sent to the parent with all of it. */
function bytesOf({ contents, usedBytes = 0 }: Node): Uint8Array {
  return ArrayBuffer.isView(contents)
    ? new Uint8Array(contents.buffer, contents.byteOffset, usedBytes).slice()
    : new Uint8Array();
}

/** An empty folder if the program removed it. */
function nodeOf(FS: FileSystem, folder: string): Node {
  try {
    return FS.lookupPath(folder).node;
  } catch {
    return { mode: 0o040_000, contents: {} };
  }
}
