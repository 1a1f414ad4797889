import { isObject } from "../../json.ts";
import { mapSubschemas } from "../../results/subschemas.ts";

type Schema = Record<string, unknown>;

/** A schema as model servers get it, without the patterns for which some refuse the whole request. Results are checked with them. */
export function sentSchema(schema: object): Schema {
  const within = (each: unknown): unknown => (isObject(each) ? sentSchema(each) : each);
  return withCompiledPatterns(mapSubschemas({ ...schema }, within));
}

/** The schema without its own patterns that not all providers compile (SmartBear/smartbear-mcp#491). */
export function withCompiledPatterns({ pattern, patternProperties, ...rest }: Schema): Schema {
  const compiled = ([name]: [string, unknown]): boolean => isCompiled(name);
  return {
    ...rest,
    ...(typeof pattern === "string" && isCompiled(pattern) && { pattern }),
    ...(isObject(patternProperties) && {
      patternProperties: Object.fromEntries(Object.entries(patternProperties).filter(compiled)),
    }),
  };
}

/** Whether all engines compile the pattern, also those that match in linear time: no lookaround, atomic group or backreference. */
function isCompiled(pattern: string): boolean {
  if (/\(\?(<?[=!]|>)|\\([1-9]|k<)/.test(pattern)) return false;
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false; // such as (?i) of Python
  }
}
