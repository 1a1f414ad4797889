/** What a program is shown in. `curl`: the extension API. `v1`: the first API, in curl. `cli`: the commands of operators. */
export type Language = "curl" | "typescript" | "python" | "v1" | "cli";

/** Languages in the order of the menu, with their names. */
export const languages: [Language, string][] = [
  ["curl", "curl"],
  ["typescript", "TypeScript"],
  ["python", "Python"],
  ["cli", "Command line"],
  ["v1", "curl (v1)"],
];
