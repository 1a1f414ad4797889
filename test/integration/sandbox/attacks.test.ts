import { describeAttacks } from "./attacks.scenario.ts";

describeAttacks({ seconds: 1 });
