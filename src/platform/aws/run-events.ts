import { QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { consecutive } from "../../runs/events.ts";
import type { Runs } from "../../runs/ports.ts";
import type { RunEvent, Stamped } from "../../runs/run-types.ts";
import {
  type Item,
  journalAt,
  journalPrefix,
  messagePrefix,
  messagesOfTurn,
  partition,
  readEntry,
  readMessage,
  type RunsTable,
} from "./dynamodb/run-items.ts";
import { readHead } from "./run-reads.ts";

/** Texts of a page that are read from the bucket. Each can have 20 MB. */
const maxLargeTexts = 8;

export function awsRunEvents({ documents, table, objects }: RunsTable): Pick<Runs, "listEvents"> {
  /** One page of items with a sort key in this range: at most 1 MB. */
  async function itemsBetween(id: string, from: string, to: string, page: Partial<QueryCommandInput>): Promise<Item[]> {
    const { Items = [] } = await documents.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :to",
        ExpressionAttributeValues: { ":pk": partition(id), ":from": from, ":to": to },
        ConsistentRead: true,
        ...page,
      }),
    );
    return Items;
  }

  /**
   * The messages among and next to these journal entries. Each turn has an entry, or it is the last one. So the messages
   * that no entry follows are the output of the last turn but one and the input of the last.
   */
  function messagesAround(id: string, journal: Item[]): Promise<Item[]> {
    const [first, last] = [journal[0], journal.at(-1)];
    if (!first || !last) {
      return itemsBetween(id, messagePrefix, `${messagePrefix}~`, { ScanIndexForward: false, Limit: 4 });
    }
    const [from, to] = [Number(first["turn"]) - 1, Number(last["turn"]) + 1];
    return itemsBetween(id, messagesOfTurn(Math.max(0, from)), `${messagesOfTurn(to)}~`, {});
  }

  function readEvent(item: Item): Promise<RunEvent> {
    return "role" in item ? readMessage(objects, item) : readEntry(objects, item);
  }

  return {
    async listEvents(id, after, limit) {
      const backwards = { ScanIndexForward: false, Limit: limit };
      const [journal, head] = await Promise.all([
        itemsBetween(id, journalPrefix, journalAt(after + 1), backwards),
        readHead({ documents, table }, id),
      ]);
      const expected = Math.min(Number(head?.sequence ?? 0) - after, limit);
      let items = itemsAfter(after, journal);
      if (items.length < expected) items = itemsAfter(after, [...journal, ...(await messagesAround(id, journal))]);
      const page: Promise<RunEvent>[] = [];
      let largeTexts = 0;
      for (const item of items.slice(0, limit)) {
        if ("textKey" in item && ++largeTexts > maxLargeTexts) break;
        page.push(readEvent(item));
      }
      return (await Promise.all(page)) as Stamped<RunEvent>[];
    },
  };
}

/** The items with the numbers after `after`, up to the first number that is missing. */
function itemsAfter(after: number, items: Item[]): Item[] {
  const numbered = items.map((item) => ({ sequence: Number(item["sequence"] ?? 0), item }));
  return consecutive(
    numbered.filter(({ sequence }) => sequence > after),
    after,
  ).map(({ item }) => item);
}
