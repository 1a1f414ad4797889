import { logging } from "../src/log.ts";
import { main } from "./admin/main.ts";
import { consoleIo } from "./cli.ts";

logging.level = "off"; // errors are the command's own

process.exitCode = await main(process.argv.slice(2), consoleIo);
