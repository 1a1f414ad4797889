import { describeFaults } from "../integration/faults.scenario.ts";

describeFaults(12);
