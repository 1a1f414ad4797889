import { describeDataTasks } from "../integration/sandbox/data-tasks.scenario.ts";

describeDataTasks({ rows: 200_000, seconds: 60 });
