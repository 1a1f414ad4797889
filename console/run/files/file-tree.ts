import type { ListedFile } from "./file-changes.ts";

/** A folder with its folders and files. The root has an empty path. */
export interface Folder {
  /** Without a slash at the end. */
  path: string;
  /** Last part of the path. */
  name: string;
  folders: Folder[];
  files: ListedFile[];
  /** Number of files in it and below. */
  count: number;
  /** Whether a file in it or below differs from the compared point. */
  changed: boolean;
}

/** The files by their folders, each sorted by name. */
export function fileTree(files: ListedFile[]): Folder {
  const root = emptyFolder("", "");
  const folders = new Map([["", root]]);
  for (const listed of files.toSorted((a, b) => (a.file.name < b.file.name ? -1 : 1))) {
    let folder = root;
    const parts = folderOf(listed.file.name).split("/").filter(Boolean);
    count(root, listed);
    for (const name of parts) {
      const path = folder.path === "" ? name : `${folder.path}/${name}`;
      let next = folders.get(path);
      if (!next) {
        next = emptyFolder(path, name);
        folders.set(path, next);
        folder.folders.push(next);
      }
      folder = next;
      count(folder, listed);
    }
    folder.files.push(listed);
  }
  return root;
}

/** The path of the folder of a file. Empty: it is in none. */
function folderOf(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf("/")));
}

/** The last part of a file's name. */
export function baseName(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** Whether a file is in a folder or below. */
export function isBelow(folder: string, name: string | undefined): boolean {
  return name !== undefined && name.startsWith(`${folder}/`);
}

function emptyFolder(path: string, name: string): Folder {
  return { path, name, folders: [], files: [], count: 0, changed: false };
}

function count(folder: Folder, { change }: ListedFile): void {
  folder.count++;
  folder.changed ||= change !== undefined;
}
