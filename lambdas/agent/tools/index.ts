import { readDocument } from "./documents.ts";
import { list } from "./list-files.ts";
import { read } from "./read-file.ts";
import { search } from "./search-files.ts";
import type { Tool } from "./tool.ts";
import { edit, write } from "./write-files.ts";

/** The tools that an agent may have, by name. A new one is its definition, its file and a line here. */
export const toolsByName: Record<string, Tool> = {
  list_files: list,
  read_file: read(readDocument),
  write_file: write,
  edit_file: edit,
  search_files: search,
};
