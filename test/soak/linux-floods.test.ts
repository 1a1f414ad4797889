import { describeFloods } from "./linux-floods.scenario.ts";

await describeFloods({ withoutGroups: false });
