import { tickByTick } from "../async/tick-by-tick.ts";
import { isObject } from "../json.ts";
import { pointerPart, valueAtPointer } from "./json-pointer.ts";
import { type CompilePattern, patternCompiler } from "./linear-pattern.ts";
import { patternStates } from "./pattern-states.ts";
import { schemaLimits } from "./schema-limits.ts";
import { subschemas } from "./subschemas.ts";

/** Keywords that make a schema depend on others, or on where it is. */
const unsupported = ["$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$vocabulary"];
/** Problems that are named. One mistake can cause hundreds. */
const maxProblems = 10;

/**
 * Why a schema cannot describe the result of an agent: clauses that name the place as a JSON Pointer. Empty: it can. The schema
 * itself is not compiled, only its patterns are, one per turn of the event loop.
 */
export async function schemaProblems(schema: object): Promise<string[]> {
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  const { maxBytes } = schemaLimits;
  if (bytes > maxBytes) return [`it has ${bytes} bytes of UTF-8 as JSON; at most ${maxBytes} are accepted`];
  const { formProblems } = await import("./form-problems.ts"); // loads ajv, which takes 80 ms
  const form = formProblems(schema);
  if (form.length > 0) return form.slice(0, maxProblems);
  const walk: Walk = { root: schema, patterns: new Map() };
  const problems = [
    ...rootProblems(schema as Record<string, unknown>),
    ...subschemaProblems(walk, schema, "", 1),
    ...(await patternProblems(walk.patterns)),
  ];
  return problems.slice(0, maxProblems);
}

/** Model servers accept only objects as results. */
function rootProblems({ type }: Record<string, unknown>): string[] {
  if (type === "object") return [];
  const received = type === undefined ? "no type" : JSON.stringify(type);
  return [`/type: expected "object", received ${received}; put a list or a single value into a property`];
}

interface Walk {
  root: object;
  /** The place of each pattern, where it was found first. */
  patterns: Map<string, string>;
}

/** Also adds the patterns to those of the walk. */
function subschemaProblems(walk: Walk, schema: unknown, place: string, depth: number): string[] {
  if (!isObject(schema)) return [];
  const { maxDepth } = schemaLimits;
  if (depth > maxDepth) return [`${place}: it is nested more than ${maxDepth} schemas deep; use $ref for deeper ones`];
  for (const [path, pattern] of patternsIn(schema)) {
    if (!walk.patterns.has(pattern)) walk.patterns.set(pattern, place + path);
  }
  return [
    ...unsupported.flatMap((keyword) =>
      keyword in schema ? `${place}/${keyword}: it is not supported; remove it` : [],
    ),
    ...referenceProblems(walk.root, schema["$ref"], place),
    ...subschemas(schema).flatMap(([path, within]) => subschemaProblems(walk, within, place + path, depth + 1)),
  ];
}

function referenceProblems(root: object, $ref: unknown, place: string): string[] {
  if (typeof $ref !== "string") return [];
  const found = /^#(\/|$)/.test($ref) ? valueAtPointer(root, $ref.slice(1)) : undefined;
  if (isObject(found) || typeof found === "boolean") return [];
  const accepted = "expected a schema within this one, such as #/$defs/NAME";
  return [`${place}/$ref: ${accepted}, received ${JSON.stringify($ref.slice(0, 200))}`];
}

function patternsIn({ pattern, patternProperties = {} }: Record<string, unknown>): [path: string, pattern: string][] {
  const names = Object.keys(patternProperties as object);
  return [
    ...(typeof pattern === "string" ? [["/pattern", pattern] as [string, string]] : []),
    ...names.map((each): [string, string] => [`/patternProperties/${pointerPart(each)}`, each]),
  ];
}

/** One pattern of all schemas is compiled at a time, and other requests are handled between two. */
const inTurn = tickByTick();

/** `patterns`: the place of each. */
async function patternProblems(patterns: Map<string, string>): Promise<string[]> {
  const characters = [...patterns.keys()].reduce((sum, { length }) => sum + length, 0);
  const { maxPatternCharacters: most } = schemaLimits;
  if (characters > most) {
    return [
      `its patterns have ${characters} characters together, equal ones counted once; at most ${most} are accepted`,
    ];
  }
  const { maxPatternStates, maxStates } = schemaLimits;
  const states = [...patterns].map(([pattern, place]): [number, string] => [patternStates(pattern), place]);
  const long = states.find(([each]) => each > maxPatternStates);
  const all = states.reduce((sum, [each]) => sum + each, 0);
  if (long) return [`${long[1]}: ${tooManyStates(long[0], maxPatternStates)}`];
  if (all > maxStates) return [`its patterns: ${tooManyStates(all, maxStates)}`];
  const compile = await patternCompiler();
  const problems: string[] = [];
  for (const [pattern, place] of patterns) {
    const problem = await inTurn([], () => problemOf(compile, pattern));
    if (problem !== undefined) {
      problems.push(
        `${place}: expected a regular expression of RE2, which has no lookbehind, no backreferences, and lookaheads only right after a first ^: ${problem}`,
      );
    }
  }
  return problems;
}

function tooManyStates(states: number, most: number): string {
  return `written out, as x{3} is xxx, the repetitions have ${states} states; at most ${most} are accepted`;
}

function problemOf(compile: CompilePattern, pattern: string): string | undefined {
  try {
    compile(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/\.$/, "");
  }
}
