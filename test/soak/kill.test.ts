import { testIdempotentCreates } from "../integration/idempotent-creates.scenario.ts";
import { testKills } from "../integration/kill.scenario.ts";
import { testQuotaKills } from "../integration/quota-kill.scenario.ts";
import { testResultKills } from "../integration/result-kill.scenario.ts";
import { testTrialKills } from "../integration/trial-kill.scenario.ts";
import { testWebhookKills } from "../integration/webhook-kill.scenario.ts";

testKills(12);
testQuotaKills(6);
testResultKills("tool", "fits");
testResultKills("native", "does not fit");
testWebhookKills(60, { silentEvery: 25 });
testIdempotentCreates(10);
testTrialKills(1);
testTrialKills(1, "next_step");
