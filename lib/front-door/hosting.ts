/** Where the large-body server may run. Memory in MB. */
export const largeBodyHomes = {
  // Every web function has 2 GB and two processors.
  "web-function": { memory: 2048, heap: 512, bodies: 400 },
  fargate: { memory: 512, heap: 256, bodies: 64 },
} as const;

export type LargeBodyHome = keyof typeof largeBodyHomes;

/**
 * The server's settings in its home. 192 creates of 14 MB, 64 at once, took 732 MB of a web function's memory at most,
 * and 342 MB of Fargate's.
 */
export function memoryEnvironment(home: LargeBodyHome): Record<string, string> {
  const { heap, bodies } = largeBodyHomes[home];
  return {
    BODY_MEMORY_MB: String(bodies),
    NODE_OPTIONS: `--max-old-space-size=${heap}`,
    // By itself glibc stops giving back large blocks after the first: 1,127 MB instead of 369 for 96 MB of bodies.
    MALLOC_MMAP_THRESHOLD_: "131072",
  };
}
