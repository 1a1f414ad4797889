import { CliError, type FileIo } from "../cli.ts";

/** Rejects a command that has to ask somebody where there is nobody. */
export function requireTerminal(io: FileIo, command: string): void {
  if (io.ask) return;
  throw new CliError(`${command} asks for confirmation, but there is no terminal; pass --yes to start without it`);
}

/** Asks a question that `y` or `yes` confirms. */
export async function isConfirmed(io: FileIo, question: string): Promise<boolean> {
  const answer = (await io.ask?.(`${question} [y/N] `)) ?? "";
  return /^y(es)?$/i.test(answer.trim());
}
