import { describeUploadServer } from "./upload-server.scenario.ts";

describeUploadServer({ uploads: 8, rounds: 1 });
