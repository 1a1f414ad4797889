/** Streams of events that stay open on AWS. Times in milliseconds. */
export const openStreams = {
  /** Between two reads of a run. With their duration and the way to the client, an event arrives within 300. */
  interval: 200,
  /** After which a stream ends, and its client connects again. Lambda ends a request after 15 minutes. */
  longest: 840_000,
  /** Streams of one agent's keys, or of one run token, in one process: others have room beside them. */
  each: 60,
  /**
   * Streams in one process: a fifth of a processor, and 35 MB. A task on Fargate has a quarter of a
   * processor. An environment of a web function gets fewer requests.
   */
  all: 120,
};
