/** An attribute in DynamoDB's JSON. */
export type Attribute = { S: string } | { N: string } | { NULL: true } | Record<string, unknown>;
export type Item = Record<string, Attribute>;

export interface Expressions {
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
}

const token = /\s*(<>|<=|>=|[()=<>,+]|[#:]?[A-Za-z_][A-Za-z0-9_]*)/y;

/** Expressions that were read before. The stores have few. */
const read = new Map<string, readonly string[]>();

function tokensOf(text: string): readonly string[] {
  const known = read.get(text);
  if (known) return known;
  const tokens: string[] = [];
  token.lastIndex = 0;
  for (let at = 0; at < text.trimEnd().length; at = token.lastIndex) {
    const match = token.exec(text);
    if (!match?.[1]) throw new Error(`the fake table cannot read ${JSON.stringify(text.slice(at))}`);
    tokens.push(match[1]);
  }
  read.set(text, tokens);
  return tokens;
}

/** Evaluates a condition on an item or its absence: comparisons, attribute functions, AND, OR and parentheses. */
export function meets(condition: string, item: Item | undefined, expressions: Expressions): boolean {
  const tokens = tokensOf(condition);
  let at = 0;
  const value = valueReader(item, expressions);

  function either(): boolean {
    let result = both();
    while (tokens[at] === "OR") {
      at++;
      result = both() || result;
    }
    return result;
  }
  function both(): boolean {
    let result = single();
    while (tokens[at] === "AND") {
      at++;
      result = single() && result;
    }
    return result;
  }
  function single(): boolean {
    const first = tokens[at++] ?? "";
    if (first === "(") {
      const result = either();
      at++;
      return result;
    }
    if (first === "begins_with") {
      const [text, prefix] = [value(tokens[at + 1] ?? ""), value(tokens[at + 3] ?? "")].map(
        (each) => each && comparable(each),
      );
      at += 5;
      return typeof text === "string" && text.startsWith(String(prefix));
    }
    if (tokens[at] === "(") {
      const exists = value(tokens[at + 1] ?? "") !== undefined;
      at += 3;
      if (first === "attribute_exists") return exists;
      if (first === "attribute_not_exists") return !exists;
      throw new Error(`the fake table does not support ${first}`);
    }
    if (tokens[at] === "BETWEEN") {
      const [between, from, to] = [first, tokens[at + 1] ?? "", tokens[at + 3] ?? ""].map(value);
      at += 4;
      return Boolean(between && from && to && compare(between, ">=", from) && compare(between, "<=", to));
    }
    if (tokens[at] === "IN") {
      const end = tokens.indexOf(")", at);
      const choices = tokens.slice(at + 2, end).filter((each) => each !== ",");
      at = end + 1;
      const [left, ...others] = [first, ...choices].map(value);
      return left !== undefined && others.some((other) => other && compare(left, "=", other));
    }
    const operator = tokens[at++] ?? "";
    const [left, right] = [value(first), value(tokens[at++] ?? "")];
    if (left === undefined || right === undefined) return false;
    return compare(left, operator, right);
  }

  const result = either();
  if (at !== tokens.length) throw new Error(`the fake table did not read all of ${JSON.stringify(condition)}`);
  return result;
}

/** Applies an update expression (`SET … REMOVE … ADD …`) to an item. */
export function updated(update: string, item: Item, expressions: Expressions): Item {
  const result = { ...item };
  const tokens = tokensOf(update);
  const value = valueReader(item, expressions);
  const nameOf = (text: string): string => expressions.ExpressionAttributeNames?.[text] ?? text;
  let [at, section] = [0, ""];
  while (at < tokens.length) {
    if (["SET", "REMOVE", "ADD"].includes(tokens[at] ?? "")) section = tokens[at++] ?? "";
    const name = nameOf(tokens[at++] ?? "");
    if (section === "REMOVE") delete result[name];
    else if (section === "ADD") result[name] = added(result[name], value(tokens[at++] ?? ""));
    else {
      at++; // "="
      let assigned = value(tokens[at++] ?? "");
      if (tokens[at] === "+") {
        assigned = sum(assigned, value(tokens[at + 1] ?? ""));
        at += 2;
      }
      if (!assigned) throw new Error(`a missing attribute is used by ${JSON.stringify(update)}`);
      result[name] = assigned;
    }
    if (tokens[at] === ",") at++;
  }
  return result;
}

function valueReader(item: Item | undefined, { ExpressionAttributeNames, ExpressionAttributeValues }: Expressions) {
  return (text: string): Attribute | undefined => {
    if (!text.startsWith(":")) return item?.[ExpressionAttributeNames?.[text] ?? text];
    const given = ExpressionAttributeValues?.[text];
    if (!given) throw new Error(`the expression's ${text} has no value`);
    return given;
  };
}

/** ADD: a number is added to a number, strings to a set. */
function added(before: Attribute | undefined, value: Attribute | undefined): Attribute {
  if (!value || !("SS" in value)) return sum(before ?? { N: "0" }, value);
  if (before && !("SS" in before)) throw new Error("strings can be added to a set only");
  return { SS: [...new Set([...(before ? (before["SS"] as string[]) : []), ...(value["SS"] as string[])])] };
}

function sum(a: Attribute | undefined, b: Attribute | undefined): Attribute {
  if (!a || !b || !("N" in a) || !("N" in b)) throw new Error("only existing numbers can be added");
  return { N: String(Number(a["N"]) + Number(b["N"])) };
}

function compare(a: Attribute, operator: string, b: Attribute): boolean {
  const [left, right] = [comparable(a), comparable(b)];
  if (left === undefined || right === undefined) return false;
  switch (operator) {
    case "=":
      return left === right;
    case "<>":
      return left !== right;
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
    default:
      throw new Error(`the fake table does not support ${operator}`);
  }
}

function comparable(attribute: Attribute): string | number | boolean | undefined {
  const { N, S, BOOL } = attribute as { N?: string; S?: string; BOOL?: boolean };
  return N === undefined ? (S ?? BOOL) : Number(N);
}
