/** An attribute as DynamoDB's wire has it: `{"S": "text"}`. */
type Value = Record<string, unknown>;
type Item = Record<string, Value>;
type Body = Record<string, unknown>;

/**
 * Request units, as on-demand tables are billed for them. `write` is all of them together; of these `list` and
 * `running` are those of the two indexes.
 */
export interface Units {
  read: number;
  write: number;
  list: number;
  running: number;
}

/** What one page of a Query may hold at most, in bytes. */
const pageBytes = 1024 * 1024;

/**
 * A table in memory that answers as far as the service's stores ask: every operation takes effect, and conditions hold
 * always, because nobody else writes. It adds up what DynamoDB would bill, indexes included.
 */
export function dynamoTable() {
  const partitions = new Map<string, Map<string, Item>>();
  const units: Units = { read: 0, write: 0, list: 0, running: 0 };
  const partition = (pk: string): Map<string, Item> => {
    const found = partitions.get(pk) ?? new Map<string, Item>();
    partitions.set(pk, found);
    return found;
  };

  function store(pk: string, sk: string, item: Item, factor: number): void {
    const before = partition(pk).get(sk);
    partition(pk).set(sk, item);
    units.write += factor * Math.ceil(Math.max(sizeOf(item), before ? sizeOf(before) : 0) / 1024);
    const { list, running } = indexUnits(before, item);
    units.list += list;
    units.running += running;
    units.write += list + running;
  }

  function put(item: Item, factor: number): void {
    store(textOf(item["pk"]), textOf(item["sk"]), item, factor);
  }

  /** The item before the update. */
  function update(input: Body, factor: number): Item {
    const { pk, sk } = input["Key"] as Item;
    const before = partition(textOf(pk)).get(textOf(sk)) ?? (input["Key"] as Item);
    store(textOf(pk), textOf(sk), updated(before, input), factor);
    return before;
  }

  function query(input: Body): Body {
    const { KeyConditionExpression = "", ExpressionAttributeValues = {}, ExclusiveStartKey } = input;
    const values = ExpressionAttributeValues as Item;
    const all = partition(textOf(values[":pk"]));
    const bound = values[":internal"] ?? values[":head"];
    const exact = String(KeyConditionExpression).includes("sk = ");
    const start = textOf((ExclusiveStartKey as Item | undefined)?.["sk"]);
    const keys = [...all.keys()]
      .filter((sk) => sk > start && (bound === undefined || (exact ? sk === textOf(bound) : sk < textOf(bound))))
      .toSorted();
    const Items: Item[] = [];
    let bytes = 0;
    for (const sk of keys) {
      const item = all.get(sk) ?? {};
      if (bytes + sizeOf(item) > pageBytes) break;
      bytes += sizeOf(item);
      Items.push(item);
    }
    if (!isWatch(input)) units.read += Math.max(1, Math.ceil(bytes / 4096));
    const { pk, sk } = Items.at(-1) ?? {};
    return { Items, Count: Items.length, ...(Items.length < keys.length && { LastEvaluatedKey: { pk, sk } }) };
  }

  function transact(writes: Record<string, Body>[]): void {
    for (const { Put, Update, ConditionCheck } of writes) {
      if (Put) put(Put["Item"] as Item, 2);
      else if (Update) update(Update, 2);
      else {
        const { pk, sk } = (ConditionCheck?.["Key"] ?? {}) as Item;
        units.write += 2 * Math.ceil(sizeOf(partition(textOf(pk)).get(textOf(sk)) ?? {}) / 1024);
      }
    }
  }

  return {
    units,
    /** Answers one request; `operation` as in `GetItem`. */
    answer(operation: string, input: Body): Body {
      switch (operation) {
        case "GetItem": {
          const { pk, sk } = input["Key"] as Item;
          const Item = partition(textOf(pk)).get(textOf(sk));
          units.read += Item ? Math.ceil(sizeOf(Item) / 4096) : 1;
          return Item ? { Item } : {};
        }
        case "Query":
          return query(input);
        case "PutItem":
          put(input["Item"] as Item, 1);
          return {};
        case "UpdateItem":
          return { Attributes: update(input, 1) };
        case "TransactWriteItems":
          transact(input["TransactItems"] as Record<string, Body>[]);
          return {};
        default:
          throw new Error(`the table of the benchmark does not know ${operation}`);
      }
    },
  };
}

/**
 * A worker's look at whether its run was stopped: how many there are depends on how long its turn takes, not on what it
 * does, so that they are neither counted nor added up.
 */
export function isWatch(input: Body): boolean {
  return "ProjectionExpression" in input;
}

/** An item after SET, REMOVE and ADD, in the forms that the stores write. */
function updated(before: Item, { UpdateExpression, ExpressionAttributeNames, ExpressionAttributeValues }: Body): Item {
  const names = (ExpressionAttributeNames ?? {}) as Record<string, string>;
  const values = (ExpressionAttributeValues ?? {}) as Item;
  const nameOf = (text: string): string => names[text] ?? text;
  const item = { ...before };
  const sum = (name: string, value: string): Value => {
    return { N: String(Number(item[nameOf(name)]?.["N"] ?? 0) + Number(values[value]?.["N"])) };
  };
  for (const [, clause, list = ""] of String(UpdateExpression).matchAll(
    /(SET|REMOVE|ADD) (.*?)(?= SET | REMOVE | ADD |$)/g,
  )) {
    for (const each of list.split(", ")) {
      const [target = "", , operand = "", plus, addend = ""] = each.split(" ");
      if (clause === "REMOVE") delete item[nameOf(target)];
      else if (clause === "ADD") item[nameOf(target)] = sum(target, each.split(" ")[1] ?? "");
      else item[nameOf(target)] = plus === "+" ? sum(operand, addend) : (values[operand] ?? {});
    }
  }
  return item;
}

const runningProjection = ["gsi2pk", "gsi2sk", "id", "turn", "updatedAt"];

/** Units of keeping both indexes: `gsi1` projects all of an item, `gsi2` a few attributes, while the item is in it. */
function indexUnits(before: Item | undefined, after: Item): Pick<Units, "list" | "running"> {
  const changed = (names: string[]): boolean =>
    names.some((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after[name]));
  const inList = after["gsi1pk"] && changed([...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])]);
  const inRunning = (before?.["gsi2pk"] ?? after["gsi2pk"]) && changed(runningProjection);
  return { list: inList ? Math.ceil(sizeOf(after) / 1024) : 0, running: inRunning ? 1 : 0 };
}

function textOf(value: Value | undefined): string {
  const text = value?.["S"];
  return typeof text === "string" ? text : "";
}

/** Bytes of names and values, about as DynamoDB counts them. */
function sizeOf(item: Item): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + name.length + sizeOfValue(value), 0);
}

function sizeOfValue(value: Value): number {
  const [[type, content] = ["", ""]] = Object.entries(value);
  if (type === "S") return Buffer.byteLength(String(content));
  if (type === "N") return Math.ceil(String(content).length / 2) + 1;
  if (type === "M") return 3 + sizeOf(content as Item);
  if (type === "L") return 3 + (content as Value[]).reduce((sum, each) => sum + 1 + sizeOfValue(each), 0);
  return 1;
}
