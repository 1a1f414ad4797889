import { describeLinuxDataTasks } from "./data-tasks.scenario.ts";

await describeLinuxDataTasks({ scale: 0.05, seconds: 60 });
