import { ServiceError } from "../../../errors.ts";
import { semaphore } from "../../../async/semaphore.ts";
import { settleAll } from "../../../async/settle-all.ts";
import type { Uses, Stores, TextIndex } from "../../ports.ts";
import type { Run, RunEvent, Stamped } from "../../run-types.ts";
import { describeAll, type SearchDeps } from "./search-runs.ts";
import type { DescribedRun } from "../describe-runs.ts";
import { type RunOwners, ownersOf, type RunFilter } from "../list-runs.ts";
import { type RecordText, textsOf } from "./record-texts.ts";
import { maxScannedRecords, maxScannedRuns, searchedDays } from "./search-bounds.ts";
import { type ExcerptPart, excerptAround, type Phrases, phrasesIn } from "./words.ts";

/** Which texts to find. `limit`: runs. `milliseconds`: after this time, a search ends with what it has. */
export interface TextSearch extends Pick<RunFilter, "of" | "onRead" | "limit"> {
  text: string;
  milliseconds: number;
}

/** A text with a match. `step`: absent for inputs, outputs and the failure of a turn. `sequence`: of its record, absent for a failure. */
export interface FoundText extends Omit<RecordText, "text"> {
  turn: number;
  step?: number;
  sequence?: number;
  excerpt: ExcerptPart[];
}

/**
 * Runs with matches, the newest first. `more`: the first texts or runs of more that match. `searched`: the newest runs whose records were
 * all compared. `complete`: these are all runs since then.
 */
export interface FoundTexts {
  runs: { run: DescribedRun; texts: FoundText[]; more: boolean }[];
  more: boolean;
  searched: number;
  since: number;
  complete: boolean;
}

/** `textIndex`: absent: the records of the newest runs are read. */
type SearchedTexts = SearchDeps & Uses<"now"> & { textIndex?: TextIndex };

const dayMilliseconds = 86_400_000;
/** Failed runs whose failures are compared, and texts of a run that are shown. */
const [maxFailures, maxTexts] = [200, 3];
/** Runs whose records are read at a time. */
const maxReads = 8;
/** Runs of an index that cost as much as a run that is read. */
const indexedPerRead = 20;
/** Records that are read to find the matches of a run that the index names. */
const maxCandidates = 50;

/** Finds runs by what their records say: inputs, answers, reasoning, tool calls and results, errors. */
export async function searchTexts(
  deps: SearchedTexts,
  { text, of, limit, milliseconds, onRead }: TextSearch,
): Promise<FoundTexts> {
  const phrases = phrasesIn(text);
  if (phrases.length === 0) throw new ServiceError("invalid_argument", "q has no word: it needs a letter or digit");
  const since = deps.now() - searchedDays * dayMilliseconds;
  const deadline = deps.now() + milliseconds;
  const scope = { ...(await ownersOf(deps.accounts, of)), since, ...(onRead && { onRead }) };
  const isLate = (): boolean => deps.now() >= deadline;
  const [records, failures] = await Promise.all([
    deps.textIndex
      ? throughIndex(deps.runs, deps.textIndex, { scope, phrases, limit, isLate })
      : throughRecords(deps.runs, { scope, phrases, limit, isLate }),
    failuresWith(deps.runs, scope, phrases),
  ]);
  const texts = new Map<string, { run: Run; texts: FoundText[] }>();
  for (const { run, texts: found } of [...records.found, ...failures.found]) {
    texts.set(run.id, { run, texts: withoutRepetitions([...(texts.get(run.id)?.texts ?? []), ...found]) });
  }
  const all = [...texts.values()].toSorted((a, b) => b.run.createdAt - a.run.createdAt);
  const shown = all.slice(0, limit);
  const described = await describeAll(
    deps,
    shown.map(({ run }) => run),
  );
  return {
    runs: shown.map(({ texts: found }, index) => {
      return { run: described[index] as DescribedRun, texts: found.slice(0, maxTexts), more: found.length > maxTexts };
    }),
    more: records.more || all.length > limit,
    searched: records.searched,
    since,
    complete: records.complete && failures.complete,
  };
}

interface Found {
  found: { run: Run; texts: FoundText[] }[];
  complete: boolean;
}

type Scope = RunOwners & { since: number; onRead?: (runs: number) => void };

interface Search {
  scope: Scope;
  phrases: Phrases;
  limit: number;
  isLate: () => boolean;
}

type FoundRecords = Found & { searched: number; more: boolean };
type Reads = Pick<Stores["runs"], "head" | "list" | "listEvents">;

/** Reads the records that the index names, of the newest runs first. */
async function throughIndex(
  runs: Reads,
  index: TextIndex,
  { scope: { onRead, ...scope }, phrases, limit, isLate }: Search,
): Promise<FoundRecords> {
  const candidates = await index.find({ ...scope, phrases });
  onRead?.(Math.ceil(candidates.indexed / indexedPerRead));
  const found: Found["found"] = [];
  let complete = candidates.complete;
  for (const { id, sequences } of candidates.runs) {
    if (found.length > limit) break;
    if (isLate()) {
      complete = false;
      break;
    }
    onRead?.(1);
    const run = await runs.head(id);
    if (!run) continue;
    const texts: FoundText[] = [];
    if (sequences.length > maxCandidates) complete = false;
    for (const sequence of sequences.slice(0, maxCandidates)) {
      const [event] = await runs.listEvents(id, sequence - 1, 1);
      if (event) texts.push(...matchesIn(event, phrases));
      if (texts.length > maxTexts) break;
    }
    if (texts.length > 0) found.push({ run, texts });
  }
  return { found: found.slice(0, limit), more: found.length > limit, searched: candidates.indexed, complete };
}

/** Reads the records of the newest runs. */
async function throughRecords(runs: Reads, { scope, phrases, limit, isLate }: Search): Promise<FoundRecords> {
  const page = await runs.list({ ...scope, limit: maxScannedRuns });
  const inTurn = semaphore(maxReads);
  let [searched, complete] = [0, page.next === undefined];
  const searchRun = async (run: Run): Promise<FoundText[]> => {
    if (run.sequence === 0) {
      searched++;
      return [];
    }
    const texts: FoundText[] = [];
    let [after, isWhole] = [0, false];
    while (!isWhole && after < maxScannedRecords && !isLate()) {
      const events = await runs.listEvents(run.id, after, 200);
      texts.push(...events.flatMap((event) => matchesIn(event, phrases)));
      after = events.at(-1)?.sequence ?? after;
      isWhole = events.length === 0 || after >= run.sequence;
    }
    if (isWhole) searched++;
    else complete = false;
    return texts;
  };
  const found = await settleAll(page.runs.map((run) => inTurn(async () => ({ run, texts: await searchRun(run) }))));
  const matching = found.filter(({ texts }) => texts.length > 0);
  return { found: matching.slice(0, limit), more: matching.length > limit, searched, complete };
}

/** Why runs failed is no record of its own. */
async function failuresWith(runs: Reads, scope: Scope, phrases: Phrases): Promise<Found> {
  const page = await runs.list({ ...scope, statuses: ["technical_error"], limit: maxFailures });
  const found = page.runs.flatMap((run) => {
    const excerpt = run.failure && excerptAround(run.failure.title, phrases);
    return excerpt ? [{ run, texts: [{ kind: "error", turn: run.turn, excerpt } as const] }] : [];
  });
  return { found, complete: page.next === undefined };
}

function matchesIn(event: Stamped<RunEvent>, phrases: Phrases): FoundText[] {
  return textsOf(event).flatMap(({ text, ...about }) => {
    const excerpt = excerptAround(text, phrases);
    const step = "step" in event ? { step: event.step } : {};
    return excerpt ? [{ ...about, turn: event.turn, ...step, sequence: event.sequence, excerpt }] : [];
  });
}

/** The answer of a turn's last step is also its output. */
function withoutRepetitions(texts: FoundText[]): FoundText[] {
  const keyOf = ({ kind, turn, excerpt }: FoundText): string => JSON.stringify([kind, turn, excerpt]);
  const first = new Map(texts.toReversed().map((text) => [keyOf(text), text]));
  return texts.filter((text) => first.get(keyOf(text)) === text);
}
