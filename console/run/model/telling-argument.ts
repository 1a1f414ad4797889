import { isObject, isRawNumber, parseExact } from "../../../src/json.ts";

/** Names of arguments that say what a call is about, best first. */
const tellingNames = [
  "description",
  "title",
  "name",
  "filename",
  "file",
  "path",
  "query",
  "pattern",
  "url",
  "command",
  "script",
  "code",
  "text",
];

const longest = 80;

/** The argument that says what a call is about, in one line. `json`: its arguments, possibly cut. "": there is none. */
export function tellingArgument(json: string): string {
  const values = argumentsOf(json);
  const named = tellingNames.find((name) => values.get(name)?.trim());
  const value = named === undefined ? [...values.values()].find((each) => each.trim()) : values.get(named);
  return value === undefined ? "" : firstLine(value);
}

/** String and number arguments by name. */
function argumentsOf(json: string): Map<string, string> {
  const parsed = parseObject(json);
  if (!parsed) return cutArguments(json);
  const values = Object.entries(parsed).flatMap(([name, value]) => {
    if (isRawNumber(value)) return [[name, value.rawJSON] as const];
    if (typeof value === "string" || typeof value === "number") return [[name, String(value)] as const];
    return Array.isArray(value) && value.every((each) => typeof each === "string")
      ? [[name, value.join(", ")] as const]
      : [];
  });
  return new Map(values);
}

/** The object in a JSON text, with the digits of its numbers (`parseExact`). Undefined: the text is cut or contains something else. */
export function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value = parseExact(json);
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** The string arguments in a JSON text that was cut. */
function cutArguments(json: string): Map<string, string> {
  const pairs = [...json.matchAll(/"(\w+)"\s*:\s*"((?:[^"\\]|\\.)*)/g)];
  return new Map(pairs.map(([, name = "", value = ""]) => [name, unescaped(value)]));
}

function unescaped(value: string): string {
  try {
    return JSON.parse(`"${value}"`) as string;
  } catch {
    return value;
  }
}

/** Lines that programs begin with, whatever they do. */
const opening = /^\s*(import|from|const .* = require|set -|#!)/;

/** The first line that says something. That of a program is its comment, without the signs that begin it. */
function firstLine(text: string): string {
  const lines = text.split("\n", 50).filter((each) => /\w/.test(each));
  const line = lines.find((each) => !opening.test(each)) ?? lines[0] ?? text;
  const plain = line.replace(/^\s*(?:\/\/|#|\/\*+|--)\s*/, "").trim();
  return plain.length > longest ? `${plain.slice(0, longest - 1).toWellFormed()}…` : plain;
}
