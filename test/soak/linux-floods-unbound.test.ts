import { describeFloods } from "./linux-floods.scenario.ts";

// What is left where the machine gives no control groups: limits of processes, files and tmpfs, and the watcher.
await describeFloods({ withoutGroups: true });
