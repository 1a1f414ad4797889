import { describeAttacks } from "../integration/sandbox/attacks.scenario.ts";

describeAttacks({ seconds: 3, grace: 3 });
