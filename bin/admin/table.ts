import type { Command } from "commander";
import { manageApi } from "../../src/manage/contract/manage-api.ts";
import { type OperationName, operations } from "../../src/manage/contract/operations/manage-operations.ts";
import type { ManageOperation } from "../../src/manage/contract/operations/operation.ts";
import { pathParameters } from "../../src/manage/contract/operations/parameters.ts";
import type { Schema } from "../../src/json-schema.ts";
import { CliError } from "../cli.ts";
import type { Action } from "./action.ts";
import { type Given, type Label, optionOf, pathNames } from "./call.ts";
import { repeatedOption, typedValue } from "./option-values.ts";
import { type Output, record, rowsText } from "./output.ts";

/** A command that is an operation of the management API. */
export interface TableCommand {
  operation: OperationName;
  /** What the command does, if that is not what the operation does. */
  summary?: string;
  /** Other operations, for commands with a further parameter. */
  with?: Record<string, OperationName>;
  /** The parameters that are given by place. Those of `with` are optional. */
  arguments?: string[];
  /** Of the fields of query and body, those that are options. Default: all. */
  only?: string[];
  /** Those that are none. */
  except?: string[];
  /** The field of the output that has the answer of a further operation. */
  also?: [field: string, operation: OperationName];
  /** Options without a value, and what they set. */
  flags?: Record<string, { description: string; sets: Given }>;
  /** Of a list: the columns of its table. The last one is not cut. */
  rows?: string[];
  /** Text of an empty list. */
  empty?: string;
  /** What is printed of an answer without a body, with `{name}` for parameters. */
  done?: string;
  /** The text for people, in place of a table or a record. */
  text?: (body: never, given: Given) => string;
  /** The command creates a data directory. */
  createsData?: true;
}

/** A parameter of a command. */
interface Field {
  name: string;
  description: string;
  schema: Schema;
  required: boolean;
}

/** Adds the commands of a table below the nouns of a program. */
export function addTableCommands(program: Command, table: Record<string, TableCommand>, action: Action): void {
  for (const [name, entry] of Object.entries(table)) {
    const [noun = "", verb] = name.split(" ");
    const parent = verb === undefined ? program : program.commands.find((each) => each.name() === noun);
    if (parent) addTableCommand(parent.command(verb ?? noun), noun, entry, action);
  }
}

function addTableCommand(command: Command, noun: string, entry: TableCommand, action: Action): void {
  const { operation, arguments: places = [], with: others = {}, flags = {} } = entry;
  const { summary, description } = operations[operation];
  const fields = fieldsOf(entry);
  const about = entry.summary ?? description.replace(/ Requires the role .*$/, "");
  command.summary(entry.summary ?? `${summary}.`).description(inOptions(about, fields));
  for (const place of places) {
    const shown = argumentOf(noun, place);
    const of = fields.find(({ name }) => name === place);
    command.argument(place in others ? `[${shown}]` : `<${shown}>`, of?.description.replace(/\.$/, ""));
  }
  const options = fields.filter(({ name }) => !places.includes(name));
  for (const field of options) addOption(command, { ...field, description: inOptions(field.description, fields) });
  for (const [flag, { description: help }] of Object.entries(flags)) command.option(`--${flag}`, help);

  const label: Label = (field) => (places.includes(field) ? argumentOf(noun, field) : optionOf(field));
  const run = action(
    async (session, ...typed: unknown[]): Promise<Output> => {
      const values = typed.slice(0, places.length);
      const chosen = typed[places.length] as Record<string, unknown>;
      const given: Given = {};
      for (const field of fields) {
        const place = places.indexOf(field.name);
        const value = place < 0 ? chosen[keyOf(field.name)] : values[place];
        if (value !== undefined)
          given[field.name] = typedValue(field.name, field.schema, value as string | string[] | true);
      }
      for (const [flag, { sets: set }] of Object.entries(flags)) if (chosen[camelCase(flag)]) Object.assign(given, set);
      if (
        Object.keys(given).length === places.length &&
        entry.only?.length &&
        !options.some(({ required }) => required)
      ) {
        throw new CliError(`nothing to set; pass ${options.map(({ name }) => optionOf(name)).join(", ")}`);
      }
      const further = Object.keys(others).find((name) => given[name] !== undefined);
      const body = await session.call(further === undefined ? operation : (others[further] ?? operation), given, label);
      if (further !== undefined || !entry.also) return outputOf(entry, body, given);
      const [added, of] = entry.also;
      return outputOf(entry, { ...(body as object), [added]: await session.call(of, given) }, given);
    },
    entry.createsData && { createsData: true },
  );
  command.action(run as (...args: unknown[]) => Promise<void>);
}

/** The parameters of a command: of the paths of its operations, and of query and body. The first operation describes them. */
function fieldsOf({ operation, with: others = {}, only, except = [] }: TableCommand): Field[] {
  const fields = new Map<string, Field>();
  const add = (field: Field): unknown => fields.has(field.name) || fields.set(field.name, field);
  const all = [operation, ...Object.values(others)].map((name): ManageOperation => operations[name]);
  for (const name of all.flatMap(({ path }) => pathNames(path))) {
    add({ name, ...pathParameters[name as keyof typeof pathParameters], required: !(name in others) });
  }
  const isOption = (name: string): boolean => (only?.includes(name) ?? true) && !except.includes(name);
  for (const each of all) {
    const { properties = {}, required = [] } = bodyOf(each);
    for (const [name, of] of Object.entries(each.query ?? {})) {
      if (isOption(name)) add({ name, required: false, ...of, schema: of.schema as Schema });
    }
    for (const [name, schema] of Object.entries(properties)) {
      const { description = "" } = schema;
      if (isOption(name)) add({ name, description, schema, required: required.includes(name) });
    }
  }
  return [...fields.values()];
}

/** A description with options in place of the fields that it names. */
function inOptions(description: string, fields: Field[]): string {
  return description.replaceAll(/`(\w+)`/g, (whole, field: string) =>
    fields.some(({ name }) => name === field) ? optionOf(field) : whole,
  );
}

function bodyOf({ request = "" }: ManageOperation): { properties?: Record<string, Schema>; required?: string[] } {
  return manageApi.schemas[request] ?? {};
}

/** The names of the fields of an operation's query and body. */
export function fieldNames(name: OperationName): string[] {
  const operation: ManageOperation = operations[name];
  return [...Object.keys(operation.query ?? {}), ...Object.keys(bodyOf(operation).properties ?? {})];
}

function addOption(command: Command, { name, description, schema, required }: Field): void {
  const types = [schema.type].flat();
  const { items = {}, default: initial } = schema as { items?: Schema; default?: string | number | boolean };
  const values = ((schema["enum"] ?? items["enum"] ?? []) as (string | number | null)[]).filter(
    (value) => value !== null,
  );
  const help = [
    description.replace(/\.$/, ""),
    ...(values.length > 0 ? [`: ${values.join(", ")}`] : []),
    ...(types.includes("null") ? ["; “none” removes it"] : []),
    ...(initial === undefined || types.includes("boolean") || types.includes("array")
      ? []
      : [` (default: ${String(initial)})`]),
  ].join("");
  const flags = types.includes("boolean")
    ? optionOf(name)
    : `${optionOf(name)} <${placeholderOf(name, schema, types)}>`;
  if (types.includes("array")) command.option(flags, help, repeatedOption);
  else if (required) command.requiredOption(flags, help);
  else command.option(flags, help);
  if (types.includes("array") && required) command.options.at(-1)?.makeOptionMandatory();
}

/** Placeholders of fields whose last word does not name the value. */
const placeholders: Record<string, string> = {
  at: "TURN.STEP",
  label: "KEY=VALUE",
  q: "TEXT",
  answerable_by: "WHO",
  started_by: "ID",
};

/** The placeholder of an option's value: by its type, or the last word of the option. */
function placeholderOf(name: string, schema: Schema, types: (string | readonly string[] | undefined)[]): string {
  const { format } = (schema["items"] ?? schema) as Schema;
  if (types.includes("integer") || types.includes("number")) return "N";
  if (types.includes("object")) return "NAME=VALUE,…";
  if (format === "date-time") return "TIME";
  if (format === "uuid" || /_ids?$/.test(name)) return "ID";
  const word = optionOf(name).replace(/^.*-/, "").toUpperCase();
  return placeholders[name] ?? (types.includes("array") ? word.replace(/(?<!U)S$/, "") : word);
}

/** How an argument is named: `ID` for that of the noun, such as the run in `run stop`. */
function argumentOf(noun: string, field: string): string {
  const of = field.replace(/_id$/, "");
  const isOfNoun = of === noun || (noun === "org" && of === "organization");
  return isOfNoun && field !== of ? "ID" : of.toUpperCase();
}

const camelCase = (text: string): string => text.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
/** The key of an option's value, as commander makes it. */
const keyOf = (field: string): string => camelCase(optionOf(field).slice(2));

function outputOf({ rows, empty = "None.", done, text }: TableCommand, body: unknown, given: Given): Output {
  if (body === undefined) {
    const said = (done ?? "Done.").replace(/\{(\w+)\}/g, (_, name: string) => String(given[name]));
    return { text: said, json: given };
  }
  if (text) return { text: text(body as never, given), json: body };
  if (!rows) return record(body as object);
  const { data, next } = body as { data: object[]; next?: string | null };
  const listed = rowsText(data, rows, empty);
  return { text: next == null ? listed : `${listed}\n\nThere may be more: --cursor ${next}`, json: body };
}
