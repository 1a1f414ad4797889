import { describeLargeBodies } from "../integration/front-door/large-body.scenario.ts";

describeLargeBodies({ uploads: 64, rounds: 3 });
