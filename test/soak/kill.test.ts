import { testKills } from "../integration/kill.scenario.ts";

testKills(12);
