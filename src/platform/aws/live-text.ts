import { PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { pause } from "../../async/backoff.ts";
import { withTimeout } from "../../async/with-timeout.ts";
import { log } from "../../log.ts";
import { boundedCache } from "../../runs/bounded-cache.ts";
import type { LiveText } from "../../runs/read/live-text.ts";
import type { WrittenText } from "../../runs/read/search/written-text.ts";
import { isAnswered } from "../../runs/read/run-progress.ts";
import { expiryAfter, partition, type RunsTable, textKey, type Watches } from "./dynamodb/run-items.ts";
import { head } from "./dynamodb/table.ts";
import { textWriter } from "./dynamodb/live-text-writer.ts";
import type { DynamoTable } from "./sdk/clients.ts";
import { isConditionFailure } from "./sdk/sdk-errors.ts";

/** Milliseconds that a mark holds, and that are left when a reader renews it: one write in 15 s, however many read. */
const [markedFor, renewedAt] = [30_000, 15_000];
/** A mark that is so many milliseconds ahead is of a reader whose clock is wrong: it is ignored and replaced. */
const tooFar = 60_000;
/** Milliseconds after which a mark or a write of a text is given up. */
const maxMilliseconds = 1_000;
/** Milliseconds by which the clocks of two functions may differ. */
const clockDifference = 250;
/** Days after which DynamoDB may delete a text that its run outlives. */
const keptDays = 1;
/** Runs whose marks are kept in memory: about 1 MB. */
const maxRuns = 10_000;

const never = new AbortController().signal;

/** `begunAt`: the start of the model call, in milliseconds since 1970. */
type StoredText = WrittenText & { begunAt: number };

/** `readItem`: reads texts. All readers then read at the same time, so that one request has their reads. */
type LiveTextTable = DynamoTable & Pick<RunsTable, "readItem">;

/**
 * The answers that models are writing, for readers in other processes: one item per run, which is written only while
 * somebody watches. Readers mark a run as watched. The process of its turn sees the mark when it checks its lease, so that a run that nobody
 * watches costs no call.
 */
export function awsLiveText({ documents, table, readItem }: LiveTextTable): LiveText & Watches {
  const marks = boundedCache<number>(maxRuns);
  const writers = new Map<string, { wake: () => void }>();

  const markOf = (runId: string): number => marks.get(runId) ?? 0;

  async function mark(runId: string): Promise<void> {
    const now = Date.now();
    if (markOf(runId) > now + renewedAt) return;
    marks.set(runId, now + markedFor); // also if the write fails: the next attempt follows in 15 s
    const command = new UpdateCommand({
      TableName: table,
      Key: { pk: partition(runId), sk: head },
      ConditionExpression:
        "attribute_exists(pk) AND (attribute_not_exists(watchedUntil) OR watchedUntil < :renewed OR watchedUntil > :tooFar)",
      UpdateExpression: "SET watchedUntil = :until",
      ExpressionAttributeValues: { ":until": now + markedFor, ":renewed": now + renewedAt, ":tooFar": now + tooFar },
    });
    try {
      await documents.send(command, { abortSignal: AbortSignal.timeout(maxMilliseconds) });
    } catch (error) {
      // Another reader was faster: the next read of the head says until when its mark holds.
      if (isConditionFailure(error)) marks.delete(runId);
      else log("info", "a run could not be marked as watched", { runId, error });
    }
  }

  async function put(runId: string, written: StoredText, abortSignal: AbortSignal): Promise<void> {
    const Item = { ...textKey(runId), ...written, ...expiryAfter(keptDays) };
    const anySignal = AbortSignal.any([abortSignal, AbortSignal.timeout(maxMilliseconds)]);
    await documents.send(new PutCommand({ TableName: table, Item }), { abortSignal: anySignal });
  }

  /** Not consistent: half the price, and the text of a moment ago is good, too. */
  async function read(runId: string): Promise<Partial<StoredText> | undefined> {
    const key = textKey(runId);
    try {
      if (readItem) {
        const found = await withTimeout(maxMilliseconds, never, () => readItem(key, false));
        if (found.timedOut) throw new Error(`no answer within ${maxMilliseconds} ms`);
        return found.value;
      }
      const command = new QueryCommand({
        TableName: table,
        KeyConditionExpression: "pk = :pk AND sk = :sk",
        ExpressionAttributeValues: { ":pk": key.pk, ":sk": key.sk },
      });
      const { Items = [] } = await documents.send(command, { abortSignal: AbortSignal.timeout(maxMilliseconds) });
      return Items[0];
    } catch (error) {
      log("info", "the text of an answer in progress could not be read", { runId, error });
      return undefined;
    }
  }

  return {
    seen(runId, until) {
      if (typeof until !== "number" || until <= markOf(runId) || until > Date.now() + tooFar) return;
      marks.set(runId, until);
      writers.get(runId)?.wake();
    },

    open(runId, place, showsThinking) {
      const isWatched = (): boolean => markOf(runId) > Date.now();
      const begunAt = Date.now();
      const writer = textWriter({ isWatched, showsThinking }, (part, signal) =>
        put(runId, { ...place, begunAt, ...part }, signal),
      );
      writers.set(runId, writer);
      return {
        write: writer.write,
        end() {
          writer.end();
          if (writers.get(runId) === writer) writers.delete(runId);
        },
      };
    },

    async of(runId, activity) {
      if (!activity) return undefined;
      const [found] = await Promise.all([isAnswered(activity) ? read(runId) : undefined, mark(runId)]);
      // Otherwise it is of an answer that is recorded, or that broke off: another attempt has begun since.
      if (found?.turn !== activity.turn || found.step !== activity.step) return undefined;
      const { turn, step, from = 0, text = "", thinking, begunAt = 0 } = found;
      if (begunAt + clockDifference < activity.since) return undefined;
      return { turn, step, from, text, ...(thinking && { thinking }) };
    },

    changed: (_, milliseconds, signal) => {
      const sinceMoment = readItem ? performance.now() % milliseconds : 0;
      return pause(milliseconds - sinceMoment, signal).catch(() => {});
    },
  };
}
