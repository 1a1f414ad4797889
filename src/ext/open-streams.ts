/** Streams of events that stay open on AWS. Times in milliseconds. */
export const openStreams = {
  /** Between two looks at a run: with two reads and the way to the client, an event arrives within 300. */
  interval: 200,
  /** After which a stream ends, and its client connects again. Lambda ends a request after 15 minutes. */
  longest: 840_000,
  /**
   * Streams in one process, also of one agent's keys: a fifth of a processor, and 35 MB. A task on Fargate has a quarter of a
   * processor. An environment of a web function gets fewer requests.
   */
  all: 120,
};
