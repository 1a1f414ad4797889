import { main } from "./action/main.ts";

process.exitCode = await main(process.env, (line) => console.log(line));
