import { testKills } from "./kill.scenario.ts";

testKills(4);
