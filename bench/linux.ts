import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { contentName } from "../src/filenames.ts";
import { type LocalLinux, localLinux, type SandboxChoice } from "../src/platform/local/linux.ts";
import { environmentsFolder } from "../src/sandbox/linux/environments.ts";
import type { Linux, StoredFile } from "../src/sandbox/linux/types.ts";
import { alternate } from "./rounds.ts";
import { newDataDir } from "./servers.ts";
import { median, quantile, type Row } from "./table.ts";

const engines = ["bubblewrap", "podman", "docker"] as const;
const megabyte = 2 ** 20;

interface Opened {
  local: LocalLinux;
  linux: Linux;
  /** Of the run's contents. */
  contents: string;
}

/** `environments`: a folder without environments gives the machine's own programs. */
async function open(engine: SandboxChoice, environments: string): Promise<Opened | undefined> {
  const dataDir = newDataDir();
  const workspaces = join(dataDir, "workspaces");
  const contents = join(workspaces, "run");
  mkdirSync(contents, { recursive: true });
  const local = localLinux({ workspaces, programs: join(dataDir, "programs"), environments }, engine);
  const linux = await local.linuxOf({ id: "run", organizationId: "organization", agentId: "agent" }, "linux");
  if (!("unavailable" in linux)) return { local, linux, contents };
  console.log(`Not measured: ${engine}: ${linux.unavailable}`);
  local.close();
  return undefined;
}

async function run({ linux }: Opened, text: string, files: StoredFile[] = []): Promise<string> {
  const program = { language: "shell", text, files, seconds: 120 } as const;
  const { output, problem } = await linux.run(program, new AbortController().signal);
  if (problem !== undefined) throw new Error(`${linux.engine}: ${problem} ${output}`);
  return output;
}

function store({ contents }: Opened, name: string, content: string | Buffer): StoredFile {
  const bytes = Buffer.from(content);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  writeFileSync(join(contents, contentName(sha256)), bytes);
  return { name, size: bytes.length, sha256 };
}

/** Start of a program for each engine, and, with bubblewrap, workspaces and tools. */
export async function measureLinux(rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const engine of engines) {
    const opened = await open(engine, environmentsFolder(process.env));
    if (!opened) continue;
    rows.push(...(await measureStarts(opened, engine === "bubblewrap" ? 4 * rounds : rounds)));
    opened.local.close();
  }
  const machine = await open("bubblewrap", newDataDir());
  if (!machine) return rows;
  rows.push(...(await measureWorkspace(machine, rounds)), ...(await measureTools(machine, Math.ceil(rounds / 3))));
  rows.push(await measureMany(machine, Math.ceil(rounds / 3)));
  machine.local.close();
  return rows;
}

async function measureStarts(opened: Opened, rounds: number): Promise<Row[]> {
  const { engine } = opened.linux;
  const programs = [
    ["true", "true", 50],
    ["python3 -c 1", "python3 -c 1", undefined],
  ] as const;
  const rows: Row[] = [];
  for (const [name, text, atMost] of programs) {
    const times: number[] = [];
    for (let round = 0; round <= rounds; round++) {
      const start = performance.now();
      await run(opened, text);
      if (round > 0) times.push(performance.now() - start);
    }
    const target = engine === "bubblewrap" && atMost !== undefined ? { atMost } : undefined;
    rows.push({ name: `${engine}: ${name}, p50`, unit: "ms", service: median(times), target });
    rows.push({ name: `${engine}: ${name}, p95`, unit: "ms", service: quantile(times, 0.95) });
  }
  return rows;
}

/** A program that reads one file, with 500 files of 200 MB and with an empty workspace. */
async function measureWorkspace(opened: Opened, rounds: number): Promise<Row[]> {
  const files = Array.from({ length: 500 }, (_, n) =>
    store(opened, `folder-${n % 20}/file-${n}.bin`, Buffer.alloc(0.4 * megabyte, `${n} `)),
  );
  const { floor, service } = await alternate(
    { rounds, calls: 1 },
    () => run(opened, "head -c 9 /etc/hostname /dev/null >/dev/null 2>&1 || true"),
    () => run(opened, "head -c 9 folder-3/file-3.bin >/dev/null", files),
  );
  return [
    { name: "bubblewrap: 500 files, 200 MB", unit: "ms", floor, service },
    { name: "… more than an empty workspace", unit: "ms", service: service - floor, target: { atMost: 50 } },
  ];
}

const branches = ["Berlin", "Hamburg", "Köln", "München"];

function rowOf(n: number): string {
  const date = `2025-0${(n % 9) + 1}-1${n % 10}`;
  const amount = `${(n * 31) % 9_999}.${10 + (n % 90)}`;
  return `T${n},AC${(n * 7_919) % 5_000},${date},${amount},EUR,payment reference ${(n * 48_271) % 10 ** 9}`;
}

function lineOf(n: number): string {
  const request = `"GET /api/item/${n} HTTP/1.1" ${n % 19 ? 200 : 502} ${n % 9_999}`;
  const rest = `"-" "Mozilla/5.0 (X11; Linux x86_64)" 0.${100 + ((n * 37) % 900)}`;
  return `10.0.${n % 256}.${(n * 7) % 256} - - [22/Nov/2026:10:00:00 +0000] ${request} ${rest}`;
}

const lines = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => `${line(n)}\n`).join("");

/** The usual tools on a join of 30 MB and a log of 25 MB. Floor: the machine's own bash. */
async function measureTools(opened: Opened, rounds: number): Promise<Row[]> {
  const folder = newDataDir();
  const contents = {
    "accounts.csv": lines(5_000, (n) => `AC${n},${branches[n % 4]}`),
    "transactions.csv": lines(480_000, rowOf),
    "access.log": lines(210_000, lineOf),
  };
  const files = Object.entries(contents).map(([name, content]) => {
    writeFileSync(join(folder, name), content);
    return store(opened, name, content);
  });
  const size = (name: keyof typeof contents): string => `${Math.round(Buffer.byteLength(contents[name]) / 10 ** 6)} MB`;
  const programs = [
    [
      `join of ${size("transactions.csv")} by awk`,
      "awk -F, 'NR == FNR { b[$1] = $2; next } { s[b[$2]] += $4 } END { for (k in s) printf \"%s %.2f\\n\", k, s[k] }' accounts.csv transactions.csv | sort",
    ],
    [
      `log of ${size("access.log")} by grep, awk and sort`,
      "grep -c '\" 502 ' access.log; awk '{ c[$9]++ } END { for (k in c) print k, c[k] }' access.log | sort; awk '{ print $NF }' access.log | sort -n | tail -1",
    ],
  ] as const;
  const rows: Row[] = [];
  for (const [name, text] of programs) {
    const outputs = new Set<string>();
    const { floor, service } = await alternate(
      { rounds, calls: 1 },
      async () => {
        const env = { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };
        outputs.add((await promisify(execFile)("bash", ["-c", text], { cwd: folder, env })).stdout);
      },
      async () => outputs.add(await run(opened, text, files)),
    );
    if (outputs.size !== 1) throw new Error(`${name}: the sandbox printed something else`);
    rows.push({ name: `bubblewrap: ${name}`, unit: "ms", floor, service, target: { timesFloor: 2 } });
  }
  return rows;
}

/** Twenty programs at once. Floor: one after another. */
async function measureMany(opened: Opened, rounds: number): Promise<Row> {
  const program = (): Promise<string> => run(opened, "python3 -c 'print(sum(range(100000)))'");
  const { floor, service } = await alternate(
    { rounds, calls: 1 },
    async () => {
      for (let n = 0; n < 20; n++) await program();
    },
    () => Promise.all(Array.from({ length: 20 }, program)),
  );
  return { name: "bubblewrap: 20 programs at once", unit: "ms", floor, service, target: { timesFloor: 1 } };
}
