import { main } from "./admin/main.ts";
import { consoleIo } from "./cli.ts";

process.exitCode = await main(process.argv.slice(2), consoleIo);
