import { paginateQuery, QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { consecutive, inTurnOrder } from "../../runs/events.ts";
import type { Runs } from "../../runs/ports.ts";
import type { RunEvent, Stamped } from "../../runs/types.ts";
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
  unnumberedPrefix,
} from "./dynamodb/run-items.ts";
import { readHead } from "./run-reads.ts";

/** Texts of a page that are read from the bucket. Each can have 20 MB. */
const maxLargeTexts = 8;

export function awsRunEvents({
  documents,
  table,
  objects,
}: RunsTable): Pick<Runs, "listEvents" | "listUnnumberedEvents"> {
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

  async function unnumberedMessages(id: string): Promise<Item[]> {
    const found: Item[] = [];
    const input = {
      TableName: table,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :message)",
      ExpressionAttributeValues: { ":pk": partition(id), ":message": messagePrefix },
      ConsistentRead: true,
    };
    // Small pages: the first message of most runs has a number.
    for await (const { Items = [] } of paginateQuery({ client: documents, pageSize: 25 }, input)) {
      found.push(...Items.filter((item) => item["sequence"] === undefined));
      if (found.length === 0 || Items.at(-1)?.["sequence"] !== undefined) break;
    }
    return found;
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

    async listUnnumberedEvents(id) {
      const input = {
        TableName: table,
        KeyConditionExpression: "pk = :pk AND begins_with(sk, :journal)",
        ExpressionAttributeValues: { ":pk": partition(id), ":journal": unnumberedPrefix },
        ConsistentRead: true,
      };
      const items = await unnumberedMessages(id);
      if (items.length === 0) return [];
      for await (const { Items = [] } of paginateQuery({ client: documents }, input)) items.push(...Items);
      return inTurnOrder(await Promise.all(items.map(readEvent)));
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
