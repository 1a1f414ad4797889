import { testUploads } from "../integration/uploads.scenario.ts";

// 512 MB of bodies, the ones in work, and Node itself. Without a bound it was 1,500 MB.
testUploads({ uploads: 64, most: 1_200 });
