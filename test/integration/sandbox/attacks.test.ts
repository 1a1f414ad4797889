import { describeAttacks } from "./attacks.scenario.ts";

// Other tests run at the same time, so a new sandbox process may start late.
describeAttacks({ seconds: 1, grace: 10 });
