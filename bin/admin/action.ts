import type { Command } from "commander";
import type { FileOutput, PrintedNote, Output } from "./output.ts";
import type { Session } from "./session.ts";

/** What a command does. It resolves with what to print, or with an iterable that prints as it goes. */
export type CommandHandler<Args extends unknown[]> = (
  session: Session,
  ...args: Args
) => Promise<Output | FileOutput | AsyncIterable<Output | FileOutput | PrintedNote>>;

/** Makes a commander action of a handler. `createsData`: the command also works in a data directory without data. */
export type Action = <Args extends unknown[]>(
  handler: CommandHandler<Args>,
  options?: { createsData: true },
) => (...args: [...Args, Command]) => Promise<void>;
