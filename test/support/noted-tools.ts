import { headings, type NotedTool } from "../../src/agent/turn/tool-notes.ts";

/** The tools that a recorded note of `toolsNote` names, with its reasons. Empty: it names none. */
export function notedTools(note = ""): NotedTool[] {
  const found: NotedTool[] = [];
  for (const part of note.split("\n\n", 2)) {
    const [heading = "", ...lines] = part.split("\n");
    const kind = heading === headings.unavailable ? "unavailable" : "replaced";
    // Such parts come first: what follows another one may be the content of a file.
    if (heading !== headings[kind]) break;
    for (const line of lines) {
      const [name = ""] = line.split(/:? /, 1);
      const reason = line.startsWith(`${name}: `) ? line.slice(name.length + 2) : line;
      found.push({ definition: { name }, [kind]: reason });
    }
  }
  return found;
}
