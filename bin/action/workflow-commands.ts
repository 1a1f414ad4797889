import { randomUUID } from "node:crypto";

/** A line that GitHub shows as the error of the step. See “Workflow commands for GitHub Actions” in its documentation. */
export function errorLine(message: string): string {
  return `::error title=Agent run::${message.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}`;
}

/** Lines for the log. What an agent wrote could otherwise be a command to GitHub, such as `::add-mask::`. */
export function logLines(text: string): string {
  const token = randomUUID();
  return `::stop-commands::${token}\n${text}\n::${token}::`;
}

/** An entry of the file `GITHUB_OUTPUT`. The delimiter is random, so that a value cannot contain it. */
export function outputEntry(name: string, value: string): string {
  const delimiter = randomUUID();
  return `${name}<<${delimiter}\n${value}\n${delimiter}\n`;
}
