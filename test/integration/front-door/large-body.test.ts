import { describeLargeBodies } from "./large-body.scenario.ts";

describeLargeBodies({ uploads: 8, rounds: 1 });
