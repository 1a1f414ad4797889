/** Turns of an agent that were kept, to try changes on them. Times are milliseconds since 1970. */
export interface Suite {
  id: string;
  agentId: string;
  name: string;
  createdAt: number;
  /** The operator. */
  createdBy?: string;
}

/** A recorded turn. */
export interface RecordedTurn {
  runId: string;
  turn: number;
}

/** A copy of a recorded turn, with what it began with. It is a run that belongs to the suite and does not expire. */
export interface KeptCase extends RecordedTurn {
  /** The turn that was copied. Its run may have expired. */
  origin: RecordedTurn;
  /** The beginning of the first line of its input. */
  input: string;
  keptAt: number;
  /** The operator. */
  keptBy?: string;
  /** Places that were redacted. */
  redacted: number;
}

/** A text to replace: the literal one, wherever it is, or what a pattern of RE2 matches within a line. */
export type RedactionRule = ({ text: string } | { pattern: string }) & {
  /** Default: `[redacted]`. */
  replacement?: string;
};

/** What is redacted before a case is kept. */
export interface Redaction {
  rules: RedactionRule[];
  /** Names of files that are kept as they are, although they cannot be redacted. */
  unredacted: string[];
}

/** Why a turn was not kept, as a sentence. `unredacted`: the files that would have to be kept as they are. */
export interface Refusal extends RecordedTurn {
  reason: string;
  unredacted?: string[];
}
