import { testKills } from "../integration/kill.scenario.ts";
import { testQuotaKills } from "../integration/quota-kill.scenario.ts";

testKills(12);
testQuotaKills(6);
