// The page finds missing tools in recorded notes, too: this file imports nothing.

/** The part of a tool that says whether it can be used. */
interface MaybeMissing {
  definition: { name: string };
  unavailable?: string;
}

/** The first line of the note. It is recorded, and found again by `missingToolsIn`. */
const heading = "Tools that cannot be used in this turn:";

/**
 * Note for the model before its first step: tools that the agent names and that cannot be used in this turn, one a line,
 * with the reason. Undefined: all can be used.
 */
export function missingToolsNote(tools: MaybeMissing[]): string | undefined {
  const lines = tools.flatMap(({ definition, unavailable }) =>
    unavailable === undefined ? [] : reasonLine(definition.name, unavailable),
  );
  return lines.length === 0 ? undefined : [heading, ...lines].join("\n");
}

/** The missing tools that a recorded note names: one sentence or two for each. */
export function missingToolsIn(note = ""): string[] {
  const [first, ...lines] = (note.split("\n\n", 1)[0] ?? "").split("\n");
  return first === heading ? lines : [];
}

function reasonLine(name: string, reason: string): string {
  const text = reason.replaceAll(/\s+/g, " ").trim();
  return text.startsWith(`${name} `) ? text : `${name}: ${text}`;
}
