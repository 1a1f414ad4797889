import { spawnSync } from "node:child_process";

let found: string[] | undefined;

/**
 * Command and options that end a program together with this process, even when this process is killed: a program in an
 * endless loop does not see that its parent is gone. Empty where `setpriv` cannot do it, as on macOS and Windows: the
 * program then ends at its time limit.
 */
export function endsWithParent(): string[] {
  const command = ["setpriv", "--pdeathsig", "KILL"]; // util-linux; BusyBox does not have the option
  found ??= spawnSync(command[0] ?? "", [...command.slice(1), "true"]).status === 0 ? command : [];
  return found;
}
