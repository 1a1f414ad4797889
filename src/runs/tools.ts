/** Names of tools that a list shows of a run: a model can make up any number of them. */
const maxTools = 100;

/** The names of tools, each once, sorted. */
export function mergedTools(known: Iterable<string>, added: Iterable<string> = []): string[] {
  return [...new Set([...known, ...added])].toSorted().slice(0, maxTools);
}
