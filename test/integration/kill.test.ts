import { testAnswerKills } from "./answers-kill.scenario.ts";
import { testKills } from "./kill.scenario.ts";
import { testQuotaKills } from "./quota-kill.scenario.ts";
import { testResultKills } from "./result-kill.scenario.ts";
import { testTrialKills } from "./trial-kill.scenario.ts";
import { testWebhookKills } from "./webhook-kill.scenario.ts";

testKills(4);
testAnswerKills(2);
testQuotaKills(3);
testResultKills("native", "fits");
testWebhookKills(3);
testTrialKills(6);
testTrialKills(8, "next_step");
