import { testSchedules } from "./schedules.scenario.ts";

testSchedules({ local: 40, aws: 30, quotas: 10 });
