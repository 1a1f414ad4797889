import { describeUploadServer } from "../integration/front-door/upload-server.scenario.ts";

describeUploadServer({ uploads: 64, rounds: 3 });
