import type { Draft } from "../form/json.ts";

/** A definition to begin with. It works with the files of its runs. */
export const starterDefinition: Draft = {
  name: "",
  instructions:
    "Answer the input. Files that came with it are in your workspace: read them before you answer. Compute numbers with run_python, never in your head.",
  tools: ["list_files", "read_file", "search_files", "write_file", "edit_file", "delete_file", "run_python"],
  limits: { steps: 50, tokens: 500_000, seconds: 900 },
};
