import { python } from "./clients/python.ts";
import { install } from "./deploy/ministack.ts";

// npm run test:prepare: the virtual environments of test:clients and test:deploy, which otherwise make their own at the start.

await Promise.all([python("python"), install()]);
