import { describeFloods } from "../integration/sandbox/linux/floods.scenario.ts";

await describeFloods(4, false);
