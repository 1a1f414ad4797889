import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  absentCalls,
  families,
  namespaceFlags,
  noSuchFamily,
  notPermitted,
  refusedCalls,
} from "../bubblewrap/seccomp.ts";

/** A profile in the format of docker and podman. Calls that no rule names fail as unknown to the kernel. */
interface Profile {
  syscalls: Rule[];
}

interface Rule {
  names: readonly string[];
  action: string;
  args?: { index: number; op: string; value: number; valueTwo?: number }[];
  errnoRet?: number;
}

/** Where podman has its default profile: that of the machine's owner first. */
const defaultFiles = ["/etc/containers/seccomp.json", "/usr/share/containers/seccomp.json"];

/** Calls that are allowed with some arguments only. */
const restricted = ["clone", "socket", "socketpair"];

/**
 * podman's default profile without the calls that programs in bubblewrap cannot use, either: it allows keyrings, which runs of
 * a rootless podman would share, new user namespaces, debuggers and sockets to the machine's hypervisor. Undefined: there is no
 * default profile here, as where podman runs in a virtual machine. `folder`: an existing one, which is emptied at the start.
 */
export function writeStricterProfile(folder: string): { file: string; remove: () => void } | undefined {
  const source = defaultFiles.find((path) => existsSync(path));
  if (source === undefined || process.platform !== "linux") return undefined;
  const file = join(folder, `seccomp-${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(stricterProfile(JSON.parse(readFileSync(source, "utf8")) as Profile)));
  return { file, remove: () => rmSync(file, { force: true }) };
}

function stricterProfile(profile: Profile): Profile {
  const removed = new Set([...refusedCalls, ...absentCalls, ...restricted]);
  const kept = profile.syscalls.map((each) =>
    Object.assign(each, { names: each.names.filter((name) => !removed.has(name)) }),
  );
  return { ...profile, syscalls: [...kept.filter(({ names }) => names.length > 0), ...rules] };
}

const socketCalls = ["socket", "socketpair"];
const largestFamily = Math.max(...families);
const otherFamilies = Array.from({ length: largestFamily }, (_, family) => family).filter(
  (each) => !families.includes(each),
);

/** A rule for calls whose first argument compares so. */
function rule(names: readonly string[], errnoRet?: number, op?: string, value = 0): Rule {
  const action = errnoRet === undefined ? { action: "SCMP_ACT_ALLOW" } : { action: "SCMP_ACT_ERRNO", errnoRet };
  return { names, ...action, ...(op !== undefined && { args: [{ index: 0, op, value, valueTwo: 0 }] }) };
}

const rules: Rule[] = [
  rule(refusedCalls, notPermitted),
  // The flags, masked by the value, are 0.
  rule(["clone"], undefined, "SCMP_CMP_MASKED_EQ", namespaceFlags),
  ...families.map((family) => rule(socketCalls, undefined, "SCMP_CMP_EQ", family)),
  ...otherFamilies.map((family) => rule(socketCalls, noSuchFamily, "SCMP_CMP_EQ", family)),
  rule(socketCalls, noSuchFamily, "SCMP_CMP_GT", largestFamily),
];
