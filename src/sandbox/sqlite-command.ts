import { defineCommand, decodeBytesToUtf8, type ResolvedCommandContext } from "just-bash";
import { parseCsv } from "./parse-csv.ts";

const rowsPerStatement = 5_000;
const flushCharacters = 8_000_000;

/** Settings that dot commands change. The options of just-bash apply to the whole call. */
interface Session {
  options: string[];
  separator: string;
  statements: string[];
  /** Runs the statements so far, so that a large table is not in memory as a whole. */
  flush(): Promise<void>;
}

/**
 * Adds dot commands to the sqlite3 of just-bash: `.import`, `.mode`, `.headers`, `.separator`, `.tables`, `.schema` and
 * `.quit`. Rows are imported with INSERT statements.
 */
export const sqlite3 = defineCommand("sqlite3", async (args, context) => {
  const original = context.origCommand;
  if (!original) throw new Error("sqlite3 replaces no command");
  const options: string[] = [];
  const rest: string[] = [];
  const commands: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (/^--?cmd$/.test(arg)) commands.push(args[++index] ?? "");
    else if (/^--?(separator|newline|nullvalue)$/.test(arg)) options.push(arg, args[++index] ?? "");
    else if (arg.startsWith("-")) options.push(arg);
    else rest.push(arg);
  }
  const [database = ":memory:", ...given] = rest;
  const scripts = [...commands, ...(given.length > 0 ? given : [decodeBytesToUtf8(context.stdin)])];
  if (!scripts.some((script) => /^\s*\./m.test(script))) return original(args);
  let output = "";
  const session: Session = {
    options,
    separator: options.includes("-csv") ? "," : "|",
    statements: [],
    async flush() {
      if (database === ":memory:") return;
      const { stdout, stderr, exitCode } = await original([...options, database, session.statements.join("\n")]);
      if (exitCode !== 0) throw new Error(stderr.trim());
      output += stdout;
      session.statements = [];
    },
  };
  const tables = new Set<string>();
  try {
    for (const line of scripts.flatMap((script) => script.split("\n"))) {
      if (!/^\s*\./.test(line)) {
        session.statements.push(line);
        continue;
      }
      const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((word) => word[1] ?? word[2] ?? word[3] ?? "");
      if (words[0] === ".quit" || words[0] === ".exit") break;
      if (words[0] === ".import") {
        const exists = async (table: string) => {
          const query = `select count(*) from pragma_table_info(${quoteText(table)})`;
          const created = session.statements.some((each) =>
            each.toLowerCase().includes(`table ${table.toLowerCase()}`),
          );
          return tables.has(table) || created || (await original([database, query])).stdout.trim() !== "0";
        };
        tables.add(await importTable(words.slice(1), session, context, exists));
      } else applyDotCommand(words, session);
    }
  } catch (error) {
    return { stdout: "", stderr: `sqlite3: ${(error as Error).message}\n`, exitCode: 1 };
  }
  const remaining = session.statements.join("\n");
  if (remaining.trim() === "") return { stdout: output, stderr: "", exitCode: 0 };
  const result = await original([...options, database, remaining]);
  return { ...result, stdout: output + result.stdout };
});

function applyDotCommand([command = "", value = ""]: string[], session: Session): void {
  if (command === ".mode" && /^(csv|json|line|column|table|markdown|tabs|box|quote|html|list)$/.test(value)) {
    session.options.push(`-${value}`);
    session.separator = value === "csv" ? "," : value === "tabs" ? "\t" : session.separator;
  } else if (command === ".headers" || command === ".header") {
    session.options.push(/^(on|1|yes)$/.test(value) ? "-header" : "-noheader");
  } else if (command === ".separator") {
    session.separator = value.replaceAll("\\t", "\t");
    session.options.push("-separator", session.separator);
  } else if (command === ".tables") {
    session.statements.push("select name from sqlite_master where type in ('table', 'view') order by name;");
  } else if (command === ".schema") {
    const filter = value === "" ? "" : ` and tbl_name = ${quoteText(value)}`;
    session.statements.push(`select sql || ';' from sqlite_master where sql is not null${filter};`);
  } else {
    throw new Error(`${[command, value].join(" ").trim()} is not supported in the sandbox`);
  }
}

/** Adds the statements that fill a table, and create it when it does not exist. Returns its name. */
async function importTable(
  words: string[],
  session: Session,
  { fs, cwd }: ResolvedCommandContext,
  exists: (table: string) => Promise<boolean>,
): Promise<string> {
  let delimiter = session.separator;
  let skip = 0;
  const names: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (/^--?csv$/.test(word)) delimiter = ",";
    else if (/^--?skip$/.test(word)) skip = Number(words[++index]);
    else if (word.startsWith("-")) throw new Error(`.import ${word} is not supported in the sandbox`);
    else names.push(word);
  }
  const [file, table] = names;
  if (file === undefined || table === undefined) throw new Error("usage: .import [--csv] [--skip N] FILE TABLE");
  const rows = parseCsv(await fs.readFile(fs.resolvePath(cwd, file)), delimiter).slice(skip);
  const identifier = quoteName(table);
  if (!(await exists(table))) {
    const columns = rows.shift()?.map((name) => `${quoteName(name)} TEXT`) ?? [];
    session.statements.push(`CREATE TABLE ${identifier}(${columns.join(", ")});`);
  }
  const cells = Array.from({ length: rows[0]?.length ?? 1 }, (_, column) => `value ->> ${column}`).join(", ");
  let characters = 0;
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    const part = quoteText(JSON.stringify(rows.slice(start, start + rowsPerStatement)));
    session.statements.push(`INSERT INTO ${identifier} SELECT ${cells} FROM json_each(${part});`);
    characters += part.length;
    if (characters < flushCharacters) continue;
    characters = 0;
    await session.flush();
  }
  return table;
}

function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
