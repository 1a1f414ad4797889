import { existsSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { commandWorks } from "./run-command.ts";

const files = ["/etc/subuid", "/etc/subgid"];

/**
 * What an ordinary user lacks to have files of several users in a build, each with what to do. Empty: nothing, or this is root.
 * `builder`: the program that needs it.
 */
export async function userRangeProblems(builder: string): Promise<string[]> {
  if (process.platform !== "linux" || process.getuid?.() === 0) return [];
  const { username } = userInfo();
  const lacking = files.filter((file) => !rangesOf(file).some(({ name }) => name === username));
  const range = freeRange();
  const problems = [];
  if (lacking.length > 0) {
    problems.push(
      `${lacking.join(" and ")} ${lacking.length > 1 ? "give" : "gives"} no range of users to ${username}, which ${builder} needs unless it runs as root: ` +
        `sudo usermod --add-subuids ${range} --add-subgids ${range} ${username}`,
    );
  }
  if (!(await commandWorks(["sh", "-c", "command -v newuidmap"]))) {
    problems.push("newuidmap is missing: apt-get install uidmap");
  }
  return problems;
}

/** Lines of subuid(5): a user, the first id and how many there are. */
function rangesOf(file: string): { name: string; first: number; count: number }[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => {
    const [name = "", first, count] = line.split(":");
    return { name, first: Number(first), count: Number(count) };
  });
}

/** 65,536 ids after all that users have. useradd gives them from 100,000 on. */
function freeRange(): string {
  const ends = files.flatMap(rangesOf).map(({ first, count }) => first + count);
  const first = Math.max(100_000, ...ends.filter(Number.isFinite));
  return `${first}-${first + 65_535}`;
}
