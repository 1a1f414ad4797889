import { type Unzipped, unzipSync, zipSync } from "fflate";
import {
  bytesOutput,
  type Command,
  defineCommand,
  type ResolvedCommandContext,
  unsafeBytesFromLatin1,
} from "just-bash";
import { matchesGlob } from "node:path";

type Result = Awaited<ReturnType<Command["execute"]>>;

/** `unzip [-l] [-p] [-q] [-o] [-n] [-j] [-d FOLDER] ARCHIVE [MEMBER…]` */
export const unzip = defineCommand("unzip", async (args, context) => {
  const parsed = parseOptions(args, "lpqonj", "d");
  if ("unknown" in parsed) return failure(`unzip: unknown option ${parsed.unknown}`);
  const { flags, values, rest } = parsed;
  const [archive, ...patterns] = rest;
  if (archive === undefined) return failure("usage: unzip [-lpqonj] [-d FOLDER] ARCHIVE [MEMBER...]");
  const limit = context.limits.maxArchiveBytes;
  let bytes = 0;
  let members: Unzipped;
  try {
    const content = await context.fs.readFileBuffer(context.fs.resolvePath(context.cwd, archive));
    members = unzipSync(content, {
      filter: ({ name, originalSize }) => {
        if (patterns.length > 0 && !patterns.some((pattern) => matchesGlob(name, pattern))) return false;
        bytes += originalSize;
        if (bytes > limit) throw new Error(`the members have more than ${limit} bytes, the limit of the sandbox`);
        return true;
      },
    });
  } catch (error) {
    return failure(`unzip: cannot read ${archive}: ${(error as Error).message}`, 9);
  }
  const names = Object.keys(members);
  if (names.length === 0) return failure(`unzip: no matching members in ${archive}`, 11);
  const files = names.filter((name) => !name.endsWith("/"));
  if (flags.has("l")) {
    const lines = names.map((name) => `${String(members[name]?.length).padStart(9)}  ${name}`);
    return success(
      `Archive:  ${archive}\n   Length  Name\n${lines.join("\n")}\n${String(bytes).padStart(9)}  ${files.length} files\n`,
    );
  }
  if (flags.has("p")) return byteResult(Buffer.concat(files.map((name) => members[name] ?? new Uint8Array())));
  const folder = context.fs.resolvePath(context.cwd, values.get("d") ?? ".");
  const extracted: string[] = [];
  for (const name of files) {
    const path = context.fs.resolvePath(
      folder,
      flags.has("j") ? (name.split("/").at(-1) ?? name) : name.replace(/^\/+/, ""),
    );
    if (!path.startsWith(folder === "/" ? "/" : `${folder}/`))
      return failure(`unzip: ${name} is outside of the folder`, 2);
    if (flags.has("n") && (await context.fs.exists(path))) continue;
    await context.fs.mkdir(path.slice(0, path.lastIndexOf("/")) || "/", { recursive: true });
    await context.fs.writeFile(path, members[name] ?? new Uint8Array());
    extracted.push(`  inflating: ${name}\n`);
  }
  return success(flags.has("q") ? "" : `Archive:  ${archive}\n${extracted.join("")}`);
});

/** `zip [-r] [-q] [-j] [-0…-9] ARCHIVE FILE…`. Replaces the archive. */
export const zip = defineCommand("zip", async (args, context) => {
  const parsed = parseOptions(args, "rqj0123456789", "");
  if ("unknown" in parsed) return failure(`zip: unknown option ${parsed.unknown}`);
  const [archive, ...names] = parsed.rest;
  if (archive === undefined || names.length === 0) return failure("usage: zip [-rqj] ARCHIVE FILE...");
  const members: Unzipped = {};
  for (const name of names) {
    const problem = await addMember(context, name, parsed.flags, members);
    if (problem !== undefined) return failure(`zip: ${problem}`, 12);
  }
  const path = context.fs.resolvePath(context.cwd, /\.\w+$/.test(archive) ? archive : `${archive}.zip`);
  await context.fs.writeFile(path, zipSync(members));
  return success(
    parsed.flags.has("q")
      ? ""
      : Object.keys(members)
          .map((name) => `  adding: ${name}\n`)
          .join(""),
  );
});

async function addMember(
  context: ResolvedCommandContext,
  name: string,
  flags: Set<string>,
  members: Unzipped,
): Promise<string | undefined> {
  const { fs, cwd } = context;
  const path = fs.resolvePath(cwd, name);
  if (!(await fs.exists(path))) return `${name}: No such file or directory`;
  if ((await fs.stat(path)).isDirectory) {
    if (!flags.has("r")) return undefined;
    for (const child of await fs.readdir(path)) {
      const problem = await addMember(context, `${name.replace(/\/$/, "")}/${child}`, flags, members);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  const memberName = flags.has("j") ? (name.split("/").at(-1) ?? name) : name.replace(/^(\.?\/)+/, "");
  members[memberName] = new Uint8Array(await fs.readFileBuffer(path));
  return undefined;
}

/** Options of one letter: `flags` without and `valued` with a value. */
function parseOptions(args: string[], flags: string, valued: string) {
  const found = { flags: new Set<string>(), values: new Map<string, string>(), rest: [] as string[] };
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (!/^-./.test(arg)) {
      found.rest.push(arg);
      continue;
    }
    for (const letter of arg.slice(1)) {
      if (flags.includes(letter)) found.flags.add(letter);
      else if (valued.includes(letter)) found.values.set(letter, args[++index] ?? "");
      else return { unknown: arg };
    }
  }
  return found;
}

function byteResult(bytes: Uint8Array): Result {
  const output = bytesOutput(unsafeBytesFromLatin1(Buffer.from(bytes).toString("latin1")));
  return { ...output, stderr: "", exitCode: 0 };
}

function success(stdout: string): Result {
  return { stdout, stderr: "", exitCode: 0 };
}

function failure(problem: string, exitCode = 2): Result {
  return { stdout: "", stderr: `${problem}\n`, exitCode };
}
