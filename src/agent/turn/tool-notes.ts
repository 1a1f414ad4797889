// The page finds tools in recorded notes, too: this file imports nothing.

/** The part of a tool that says whether it can be used, and as the agent's definition says. */
export interface NotedTool {
  definition: { name: string };
  unavailable?: string;
  replaced?: string;
}

/** First lines of the parts of the note. They are recorded, and found again by `toolNotesIn`. */
export const headings = {
  unavailable: "Tools that cannot be used in this turn:",
  replaced: "Tools that do not run as the agent's definition says:",
};

/**
 * Note for the model before its first step: tools that the agent names and that cannot be used in this turn, or run in
 * something else, one a line, with the reason. Undefined: there are none.
 */
export function toolsNote(tools: NotedTool[]): string | undefined {
  const parts = (["unavailable", "replaced"] as const).flatMap((kind) => {
    const lines = tools.flatMap(({ definition, [kind]: reason }) =>
      reason === undefined ? [] : reasonLine(definition.name, reason),
    );
    return lines.length === 0 ? [] : [headings[kind], ...lines].join("\n");
  });
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

/** The tools that a recorded note names: one sentence or more for each. */
export function toolNotesIn(note = ""): string[] {
  const parts = note.split("\n\n", 2).map((part) => part.split("\n"));
  // They come first: what follows another part may be the content of a file.
  const end = parts.findIndex(([first = ""]) => !Object.values(headings).includes(first));
  return parts.slice(0, end === -1 ? undefined : end).flatMap(([, ...lines]) => lines);
}

function reasonLine(name: string, reason: string): string {
  const text = reason.replaceAll(/\s+/g, " ").trim();
  return text.startsWith(`${name} `) ? text : `${name}: ${text}`;
}
