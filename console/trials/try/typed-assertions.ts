import type { Schemas } from "../../api/types.ts";

type Assertion = Schemas["CreateTrialRequest"]["assertions"];

/** What can be asserted in the form. The hash of a file is for programs: `file_equals`. */
export const assertionKinds = {
  output_matches: "The output matches a pattern",
  output_fits: "The output fits a JSON Schema",
  file_exists: "There is a file",
  file_matches: "A file matches a pattern",
  tool_called: "A tool is called",
  tool_not_called: "A tool is not called",
  steps: "At most so many steps",
  dollars: "At most so many dollars",
  seconds: "At most so many seconds",
} as const;
export type AssertionKind = keyof typeof assertionKinds;

/** An assertion as typed. Fields that its kind does not have keep what was typed before. */
export interface TypedAssertion {
  kind: AssertionKind;
  /** Of a file or a tool. */
  name: string;
  /** A pattern, the text of a schema, or a number. */
  value: string;
}

/** The field of a kind that `name` is, and the one that `value` is. Absent: it has none. */
export const assertionFields: Record<AssertionKind, { name?: string; value?: string }> = {
  output_matches: { value: "Pattern (RE2)" },
  output_fits: { value: "JSON Schema" },
  file_exists: { name: "File" },
  file_matches: { name: "File", value: "Pattern (RE2)" },
  tool_called: { name: "Tool" },
  tool_not_called: { name: "Tool" },
  steps: { value: "Steps" },
  dollars: { value: "Dollars" },
  seconds: { value: "Seconds" },
};

/** What is asked for if `value` is missing. */
const missingValues: Record<string, string> = {
  "Pattern (RE2)": "a pattern of RE2",
  "JSON Schema": "a JSON Schema",
  Steps: "a number of steps",
  Dollars: "a number of dollars",
  Seconds: "a number of seconds",
};

/** The assertions of a request, or a message about the first that cannot be used. */
export function assertionsOf(typed: TypedAssertion[]): NonNullable<Assertion> | string {
  const assertions: NonNullable<Assertion> = [];
  for (const [index, one] of typed.entries()) {
    const made = assertionOf(one);
    if (typeof made === "string") return `Assertion ${index + 1}: ${made}`;
    assertions.push(made);
  }
  return assertions;
}

function assertionOf({ kind, name, value }: TypedAssertion): NonNullable<Assertion>[number] | string {
  const fields = assertionFields[kind];
  if (fields.name !== undefined && name.trim() === "") return `enter the name of the ${fields.name.toLowerCase()}.`;
  if (fields.value !== undefined && value.trim() === "") return `enter ${missingValues[fields.value]}.`;
  switch (kind) {
    case "output_matches":
      return { kind, pattern: value };
    case "output_fits": {
      const schema = schemaIn(value);
      return schema ? { kind, schema } : "enter the JSON Schema as a JSON object.";
    }
    case "file_exists":
    case "tool_called":
    case "tool_not_called":
      return { kind, name: name.trim() };
    case "file_matches":
      return { kind, name: name.trim(), pattern: value };
    case "steps":
    case "dollars":
    case "seconds": {
      const most = Number(value);
      const isUsable = Number.isFinite(most) && most >= 0 && (kind !== "steps" || Number.isInteger(most));
      if (isUsable) return { kind: "at_most", [kind]: most };
      return `enter ${kind === "steps" ? "a whole number of steps" : `a number of ${kind}`} from 0.`;
    }
  }
}

function schemaIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
