import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, statSync } from "node:fs";
import type { Socket } from "node:net";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { root } from "../integration/script.ts";

/** Who runs a program of this project, and with which variables. `project`: a copy of this project that the user can enter. */
export interface TestUser {
  ids: { uid?: number; gid?: number };
  variables: Record<string, string>;
  project?: string;
}

/** Node's path for a user: that of this process, or its copy. */
export function nodeOf({ project = root }: TestUser): string {
  const node = process.execPath;
  return node.startsWith(root) ? join(project, node.slice(root.length)) : node;
}

/** A folder that every user can enter, on a disk. Disposal removes it. */
export function publicFolder(): Disposable & { path: string } {
  const path = mkdtempSync("/var/tmp/agent-run-test-");
  chmodSync(path, 0o755);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Users made by this process, for their names. */
let users = 0;

/** Makes a user. `range`: with users of its own in /etc/subuid. */
function makeUser(range: boolean): { name: string; uid: number; gid: number } {
  const name = `run-test-${process.pid}-${++users}`;
  const none = ["--key", "SUB_UID_COUNT=0", "--key", "SUB_GID_COUNT=0"];
  execFileSync("useradd", ["--create-home", "--shell", "/bin/sh", ...(range ? [] : none), name]);
  const id = (option: string) => Number(execFileSync("id", [option, name], { encoding: "utf8" }));
  return { name, uid: id("-u"), gid: id("-g") };
}

/**
 * An ordinary user with a home folder that nobody else can enter. `range`: whether it has users of its own in /etc/subuid. As root,
 * a new one, which disposal removes; else the user of this process.
 */
export function ordinaryUser({ range = true }: { range?: boolean } = {}): TestUser & Disposable {
  if (process.getuid?.() !== 0) {
    const folder = publicFolder();
    const variables = { HOME: userInfo().homedir, XDG_DATA_HOME: folder.path };
    return { ids: {}, variables, [Symbol.dispose]: () => folder[Symbol.dispose]() };
  }
  const { name, uid, gid } = makeUser(range);
  const home = join("/home", name);
  chmodSync(home, 0o700);
  const copy = isClosed(root) ? copyOfProject() : undefined;
  return {
    ids: { uid, gid },
    variables: { HOME: home, USER: name },
    ...(copy && { project: copy.path }),
    [Symbol.dispose]: () => {
      copy?.[Symbol.dispose]();
      execFileSync("userdel", ["--remove", name], { stdio: "ignore" });
    },
  };
}

/** This process stops being root, for good. A process of root waits for its end and removes the user and its files. */
export function becomeOrdinaryUser({ range }: { range: boolean }): void {
  if (process.getuid?.() !== 0) return;
  const { name, uid, gid } = makeUser(range);
  const { path } = publicFolder();
  chownSync(path, uid, gid);
  const remover = spawn("sh", ["-c", `cat; sleep 1; rm -rf ${path}; userdel --remove ${name}`], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  remover.unref();
  (remover.stdin as Socket).unref();
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
  Object.assign(process.env, { HOME: join("/home", name), USER: name, TMPDIR: path });
}

/** Whether other users cannot enter a folder, or one above it: that of `mktemp -d`, for example. */
function isClosed(path: string): boolean {
  const parent = dirname(path);
  return (statSync(path).mode & 0o001) === 0 || (parent !== path && isClosed(parent));
}

/** Other tests write and remove caches in `node_modules` meanwhile. */
function isNoCache(path: string): boolean {
  return !/node_modules\/\.(?!bin)/.test(path);
}

function copyOfProject(): Disposable & { path: string } {
  const folder = publicFolder();
  for (const name of [
    "bin",
    "clients",
    "dist",
    "environment",
    "lib",
    "node_modules",
    "package.json",
    "schemas",
    "src",
  ]) {
    cpSync(join(root, name), join(folder.path, name), { recursive: true, verbatimSymlinks: true, filter: isNoCache });
  }
  return folder;
}
