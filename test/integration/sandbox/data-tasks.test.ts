import { describeDataTasks } from "./data-tasks.scenario.ts";

describeDataTasks({ rows: 20_000, seconds: 30 });
