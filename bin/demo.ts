import { main } from "./demo/main.ts";

process.exit(await main(process.argv.slice(2)));
