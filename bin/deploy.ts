import { consoleIo } from "./cli.ts";
import { main } from "./deploy/main.ts";

process.exitCode = await main(process.argv.slice(2), consoleIo);
