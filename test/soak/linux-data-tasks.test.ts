import { describeLinuxDataTasks } from "../integration/sandbox/linux/data-tasks.scenario.ts";

await describeLinuxDataTasks({ scale: 1, seconds: 120 });
