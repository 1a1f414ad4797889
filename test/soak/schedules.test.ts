import { testSchedules } from "../integration/schedules.scenario.ts";

testSchedules({ local: 150, aws: 100, quotas: 150 });
