import { installAll } from "./clients/installations.ts";
import { install } from "./deploy/ministack.ts";

// npm run test:prepare: what test:clients and test:deploy otherwise install at their start.

await Promise.all([installAll(), install()]);
