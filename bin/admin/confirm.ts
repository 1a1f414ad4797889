import { CliError, type FileIo } from "../cli.ts";

/** Rejects a command that has to ask somebody where there is nobody. `before`: what it asks before, for the error. */
export function requireTerminal(io: FileIo, command: string, before: string): void {
  if (io.ask) return;
  throw new CliError(
    `${command} asks before ${before}, and there is no terminal to ask; pass --yes to start without asking`,
  );
}

/** Asks a question that `y` or `yes` confirms. */
export async function isConfirmed(io: FileIo, question: string): Promise<boolean> {
  const answer = (await io.ask?.(`${question} [y/N] `)) ?? "";
  return /^y(es)?$/i.test(answer.trim());
}
