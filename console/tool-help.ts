/** What each built-in tool does, for people. The descriptions for models are longer. */
export const toolHelp: Record<string, string> = {
  list_files: "Lists the files of the run.",
  read_file: "Reads text, PDF, Office documents, pictures and archives.",
  write_file: "Writes a text file.",
  edit_file: "Replaces a passage of a text file.",
  delete_file: "Deletes a file.",
  search_files: "Finds words and patterns in text files and documents.",
  run_javascript: "Runs a short program on the files. Without network.",
  run_python: "Runs Python on the files. Without network.",
  run_shell: "Runs bash scripts on the files, in a real Linux. Without network.",
  ask_person: "Asks a person a question. The run waits for the answer.",
  web_fetch: "Reads web pages. The only tool with access to the network.",
};
