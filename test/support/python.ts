import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run, succeed } from "../deploy/processes.ts";

const minimum = [3, 10];

/**
 * Creates a virtual environment with these requirements in `folder`, unless it exists. Resolves with the folder of its
 * programs.
 */
export async function virtualEnvironment(folder: string, requirements: string): Promise<string> {
  const python = await findPython();
  const venv = join(folder, "venv");
  const stamp = join(venv, "made-from.txt");
  const wanted = `${python.version.join(".")}\n${readFileSync(requirements, "utf8")}`;
  const bin = join(venv, "bin");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return bin;
  rmSync(venv, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await succeed(python.command, ["-m", "venv", venv]);
  await succeed(join(bin, "pip"), ["install", "--quiet", "--disable-pip-version-check", "-r", requirements]);
  writeFileSync(stamp, wanted);
  return bin;
}

async function findPython(): Promise<{ command: string; version: number[] }> {
  const probe = "import sys, venv, ensurepip; print(*sys.version_info[:2])";
  const tried: string[] = [];
  for (const command of ["python3", "python"]) {
    const found = await run(command, ["-c", probe]).catch(() => undefined);
    const version = (found?.stdout.trim() ?? "").split(" ").map(Number);
    const [major = 0, minor = 0] = version;
    if (found?.status === 0 && major === minimum[0] && minor >= Number(minimum[1])) return { command, version };
    tried.push(
      found === undefined ? `${command}: not found` : `${command}: ${found.stdout.trim()}${found.stderr.trim()}`,
    );
  }
  throw new Error(
    `this test needs Python ${minimum.join(".")} or newer with venv and pip (${tried.join("; ")}). ` +
      "On Debian and Ubuntu: apt-get install python3 python3-venv",
  );
}
