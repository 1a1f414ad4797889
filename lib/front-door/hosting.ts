/** Where the upload server can run. Memory and V8 heap in MB. */
export const uploadHostings = {
  // AWS gives every web function 2 GB and two processors.
  "web-function": { memory: 2048, heap: 512 },
  fargate: { memory: 512, heap: 256 },
} as const;

/**
 * Limits of each web function: what it can cost, and how many can connect. Lambda accepts rates from 100 on. An environment
 * handles 16 uploads or 100 streams at a time: 20 have 320 uploads, or 2,000 streams.
 */
export const webFunctionLimits = { requestsPerSecond: 100, environments: 20 };

export type UploadHosting = keyof typeof uploadHostings;

/**
 * The upload server's memory settings, as environment variables. 192 creates of 14 MB, 64 at a time, used at most
 * 375 MB on a web function and 367 MB on Fargate, in ten runs.
 */
export function memoryEnvironment(hosting: UploadHosting): Record<string, string> {
  return {
    // By default the young generation grows by 130 MB, which is mostly garbage: 464 MB in all instead of 367.
    NODE_OPTIONS: `--max-old-space-size=${uploadHostings[hosting].heap} --max-semi-space-size=8`,
    // By default glibc stops returning large blocks to the system: 1,127 MB instead of 370 for 96 MB of bodies.
    MALLOC_MMAP_THRESHOLD_: "131072",
  };
}
