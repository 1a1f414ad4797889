import type { Ledger } from "../ledger.ts";
import { applyNumberFormat } from "../sheets/number-format.ts";
import { symbolText } from "../office/symbol-fonts.ts";
import { isOn } from "./word-styles.ts";
import { parseXml } from "../office/xml.ts";
import { ownValue } from "../office/own-value.ts";

/** A level of a list, as `numbering.xml` describes it. */
interface Level {
  start: number;
  format: string;
  /** With `%1` for the number of the first level: `%1.%2`. */
  text: string;
  /** All numbers are decimal ones: clause `IV` has the sub-clause `4.1`. */
  isLegal: boolean;
  /** Of the bullet. */
  font?: string;
  /** The level, counted from 1, after whose numbers this one begins again. 0: after none. Absent: after each above. */
  restartAfter?: number;
}

interface AbstractList {
  levels: Map<number, Level>;
  /** The style of a list whose levels this one has. */
  styleLink?: string;
}

interface List {
  abstractId: string;
  /** Levels that this list describes itself, and numbers with which it begins. */
  levels: Map<number, Level>;
  starts: Map<number, number>;
}

export interface Numbering {
  lists: Map<string, List>;
  abstractLists: Map<string, AbstractList>;
  /** The level of paragraphs of a style. */
  levelOfStyle: (style: string) => number | undefined;
}

const maxLevel = 8;
const number = (text = "") => Number.parseInt(text, 10) || 0;
const newLevel = (): Level => ({ start: 1, format: "decimal", text: "", isLegal: false });

/** Reads `numbering.xml`. */
export function readNumbering(xml: string | undefined): Numbering {
  const levels = new Map<string, number>();
  const numbering: Numbering = {
    lists: new Map(),
    abstractLists: new Map(),
    levelOfStyle: (style) => levels.get(style),
  };
  let abstract: AbstractList = { levels: new Map() };
  let list: List | undefined;
  let [index, level] = [0, newLevel()];
  const openLevel = (text: string | undefined) => {
    index = Math.min(Math.max(number(text), 0), maxLevel);
    level = newLevel();
  };
  const open: Record<string, (value: string, attributes: Record<string, string>) => void> = {
    abstractNum(_, attributes) {
      abstract = { levels: new Map() };
      numbering.abstractLists.set(attributes["w:abstractNumId"] ?? "", abstract);
      list = undefined;
    },
    num(_, attributes) {
      list = { abstractId: "", levels: new Map(), starts: new Map() };
      numbering.lists.set(attributes["w:numId"] ?? "", list);
    },
    abstractNumId: (value) => list && (list.abstractId = value),
    lvl(_, attributes) {
      openLevel(attributes["w:ilvl"]);
      (list ?? abstract).levels.set(index, level);
    },
    lvlOverride: (_, attributes) => openLevel(attributes["w:ilvl"]),
    startOverride: (value) => list?.starts.set(index, number(value)),
    start: (value) => (level.start = number(value)),
    numFmt: (value) => (level.format = value),
    lvlText: (value) => (level.text = value),
    isLgl: (value) => (level.isLegal = isOn(value)),
    lvlRestart: (value) => (level.restartAfter = number(value)),
    rFonts: (_, attributes) => (level.font = attributes["w:ascii"] ?? ""),
    pStyle: (value) => void levels.set(value, index),
    numStyleLink: (value) => (abstract.styleLink = value),
  };
  parseXml(xml ?? "<numbering/>", {
    open(name, attributes) {
      ownValue(open, name)?.(attributes["w:val"] ?? "", attributes);
    },
    close() {},
    text() {},
  });
  return numbering;
}

/** A bullet. The boxes and ticks of check lists have a meaning. */
function bullet({ text, font }: Level): string {
  const shown = symbolText(text, font);
  return /^[☐☑☒✓✔✗✘]$/.test(shown) ? `- ${shown}` : "-";
}

/** Numbers by level. Undefined: not used yet. */
type Counter = (number | undefined)[];

/**
 * Numbers the paragraphs of a document in their order. Lists with one description count together, unless one begins with a
 * number of its own. `listOfStyle`: the list of a style of lists.
 */
export function numberParagraphs(
  { lists, abstractLists }: Numbering,
  listOfStyle: (style: string) => string | undefined,
  ledger: Ledger,
): (listId: string, level: number) => { label: string; level: number } | undefined {
  const counters = new Map<string, Counter>();
  /** Lists and levels that have begun with their own number. */
  const begun = new Set<string>();

  function levelsOf(list: List): { abstractId: string; levels: Map<number, Level> } {
    const { styleLink } = abstractLists.get(list.abstractId) ?? {};
    const linked = styleLink === undefined ? undefined : lists.get(listOfStyle(styleLink) ?? "");
    const { abstractId } = linked ?? list;
    return { abstractId, levels: new Map([...(abstractLists.get(abstractId)?.levels ?? []), ...list.levels]) };
  }

  function count(values: Counter, level: number, { levels, start }: { levels: Map<number, Level>; start?: number }) {
    const first = levels.get(level)?.start ?? 1;
    const value = values[level];
    values[level] = start ?? (value === undefined ? first : value + 1);
    for (let below = level + 1; below <= maxLevel; below++) {
      const after = levels.get(below)?.restartAfter ?? below;
      if (after > level) values[below] = undefined;
    }
  }

  function shownNumber(value: number, format: string): string {
    const text = applyNumberFormat(value, format);
    if (text === undefined) ledger.say(`List numbers in the format ${format} are shown as decimal numbers.`);
    return text ?? String(value);
  }

  return (listId, index) => {
    const list = lists.get(listId);
    if (!list) return undefined;
    const level = Math.min(Math.max(index, 0), maxLevel);
    const { abstractId, levels } = levelsOf(list);
    const own = levels.get(level) ?? newLevel();
    const counter = counters.get(abstractId) ?? [];
    counters.set(abstractId, counter);
    const key = `${listId} ${level}`;
    const start = begun.has(key) ? undefined : list.starts.get(level);
    begun.add(key);
    count(counter, level, { levels, ...(start !== undefined && { start }) });
    if (own.format === "bullet") return { label: bullet(own), level };
    const label = own.text.replaceAll(/%(\d)/g, (_, digit: string) => {
      const at = Number(digit) - 1;
      const { format, start: first } = levels.get(at) ?? newLevel();
      const isDecimal = own.isLegal && format !== "none";
      return shownNumber(counter[at] ?? first, isDecimal ? "decimal" : format);
    });
    return { label: label.trim(), level };
  };
}
