import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { sharedUserNote, withinKernelLimits } from "../../../src/sandbox/linux/kernel-limits.ts";
import { linuxLimits } from "../../../src/sandbox/linux/linux-limits.ts";

const setting = (file: string) => Number(readFileSync(file, "utf8"));
const places = 4;

test.runIf(existsSync("/proc/sys/fs"))("all programs together use at most half of what the kernel has", () => {
  const own = withinKernelLimits(linuxLimits, places, false);
  expect(own.processes).toBe(linuxLimits.processes);
  const shared = withinKernelLimits(linuxLimits, places, true);
  for (const { processes, openFiles } of [own, shared]) {
    const isLeast = openFiles === 64; // a machine with very little memory
    expect(isLeast || 2 * places * processes * openFiles <= setting("/proc/sys/fs/file-max")).toBe(true);
  }
  const watches = places * shared.processes * (shared.openFiles / 2) ** 2;
  const most = setting("/proc/sys/fs/epoll/max_user_watches") / 2;
  expect(shared.openFiles === 64 || watches <= most).toBe(true);
  expect(sharedUserNote(shared)).toContain("--add-subuids");
});
