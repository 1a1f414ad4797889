import { setImmediate } from "node:timers/promises";
import {
  acceptedPattern,
  compileFinder,
  type MatchFinder,
  PatternError,
} from "../../agent/tools/files/search-pattern.ts";
import { ServiceError } from "../../errors.ts";
import { isRawNumber } from "../../json.ts";
import { defaultReplacement } from "./limits.ts";
import type { RedactionRule } from "./suites.ts";

/** Replaces texts. It counts the places that it has replaced. */
export interface Redactor {
  readonly count: number;
  /** Rejects with a `NotRedactable` for a text with lines that are too long for a pattern. */
  text: (text: string) => Promise<string>;
  /** As `text`, in all texts, keys and numbers of a JSON value. */
  value: (value: unknown) => Promise<unknown>;
  /** A literal text that is still in a text or key of a JSON value. Hashes are no texts. */
  leftIn: (value: unknown) => string | undefined;
}

/** A text or a file that cannot be redacted. The message is a sentence for people. */
export class NotRedactable extends Error {}

type Rule = { forms: WrittenForm[] } | { replacement: string; finder: MatchFinder };

/** A text in one notation, and its replacement in the same. */
interface WrittenForm {
  text: string;
  replacement: string;
}

/** Characters times instructions that RE2 takes at once: at most about 0.5 s (`search-pattern.ts`). Then other work runs. */
const workAtOnce = 16_384_000;

/** Compiles the rules of a redaction. Rejects with a sentence for a rule that cannot be used. */
export async function compileRedactor(given: RedactionRule[]): Promise<() => Redactor> {
  const rules = await Promise.all(given.map(compileRule));
  return () => redactor(rules);
}

async function compileRule(given: RedactionRule, index: number): Promise<Rule> {
  const { replacement = defaultReplacement } = given;
  if ("text" in given) return { forms: writtenForms(given.text, replacement) };
  try {
    return { replacement, finder: await compileFinder(given.pattern) };
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new ServiceError("invalid_argument", `redact.${index}.pattern: ${error.message} ${acceptedPattern}`);
  }
}

/** A text as it is, and as JSON and URLs write it. */
function writtenForms(text: string, replacement: string): WrittenForm[] {
  const notations: ((plain: string) => string)[] = [
    (plain) => plain,
    (plain) => JSON.stringify(plain).slice(1, -1),
    (plain) => encodeURIComponent(plain.toWellFormed()),
    (plain) => new URLSearchParams({ "": plain }).toString().slice(1),
  ];
  const forms = notations.map((notation) => ({ text: notation(text), replacement: notation(replacement) }));
  return [...new Map(forms.toReversed().map((form) => [form.text, form])).values()].toReversed();
}

function redactor(rules: Rule[]): Redactor {
  let count = 0;
  let work = 0;
  const removed = rules.flatMap((rule) => ("forms" in rule ? rule.forms : []));
  const literals = removed.filter(({ text, replacement }) => !replacement.includes(text)).map(({ text }) => text);

  /** The text with the matches replaced, line by line. */
  async function replaceMatches(text: string, { instructions, findAll }: MatchFinder, replacement: string) {
    const lines: string[] = [];
    for (const line of text.split("\n")) {
      const needed = line.length * instructions;
      if (needed > workAtOnce) {
        const most = Math.floor(workAtOnce / instructions).toLocaleString("en-US");
        throw new NotRedactable(
          `It has a line of ${line.length.toLocaleString("en-US")} characters; this pattern is matched against lines of at most ${most}.`,
        );
      }
      work += needed;
      if (work > workAtOnce) {
        work = 0;
        await setImmediate();
      }
      lines.push(withReplaced(line, findAll(line), replacement));
    }
    return lines.join("\n");
  }

  function withReplaced(line: string, matches: { start: number; end: number }[], replacement: string): string {
    count += matches.length;
    let [result, from] = ["", 0];
    for (const { start, end } of matches) {
      result += line.slice(from, start) + replacement;
      from = end;
    }
    return result + line.slice(from);
  }

  function replaceForms(given: string, forms: WrittenForm[]): string {
    return forms.reduce((before, { text, replacement }) => {
      const parts = before.split(text);
      count += parts.length - 1;
      return parts.join(replacement);
    }, given);
  }

  const self: Redactor = {
    get count() {
      return count;
    },

    async text(text) {
      let result = text;
      for (const rule of rules) {
        result =
          "finder" in rule
            ? await replaceMatches(result, rule.finder, rule.replacement)
            : replaceForms(result, rule.forms);
      }
      return result;
    },

    async value(value) {
      if (typeof value === "string") return self.text(value);
      if (typeof value === "number" || isRawNumber(value)) {
        const number = typeof value === "number" ? String(value) : value.rawJSON;
        const text = await self.text(number);
        return text === number ? value : text;
      }
      if (Array.isArray(value)) {
        const items: unknown[] = [];
        for (const item of value) items.push(await self.value(item));
        return items;
      }
      if (typeof value !== "object" || value === null) return value;
      const fields: [string, unknown][] = [];
      for (const [name, field] of Object.entries(value)) fields.push([await self.text(name), await self.value(field)]);
      return Object.fromEntries(fields);
    },

    leftIn(value) {
      if (typeof value === "string" && !/^[0-9a-f-]{36,}$/.test(value)) {
        return literals.find((literal) => value.includes(literal));
      }
      if (typeof value !== "object" || value === null) return undefined;
      for (const part of [...Object.keys(value), ...Object.values(value)]) {
        const left = self.leftIn(part);
        if (left !== undefined) return left;
      }
      return undefined;
    },
  };
  return self;
}
