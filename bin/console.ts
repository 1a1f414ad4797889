import { commandLine } from "../src/command-line.ts";
import { consoleIo, runProgram } from "./cli.ts";
import { type ConsoleOptions, consoleProgram } from "./console/options.ts";

const code = await runProgram(consoleProgram(start), process.argv.slice(2), consoleIo, {
  name: commandLine("console"),
});
if (code !== 0) process.exit(code);

async function start(options: ConsoleOptions): Promise<void> {
  const { serveConsole } = await import("./console/serve.ts");
  const server = await serveConsole(options);
  // Before the link is printed: a program that reads it may stop this process at once.
  let closed: Promise<void> | undefined;
  const end = (): void => void (closed ??= server.close().then(() => process.exit(0)));
  // One Ctrl-C arrives twice: from the terminal, and forwarded by npm. `once` would let the second one kill the process.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, end);
  const may = options.readOnly ? "read" : "change";
  console.log(`Console of ${options.stack}: ${server.link}
The link is valid until this process ends (Ctrl-C). Anyone who has the link can ${may} everything, as
${server.actor}`);
}
