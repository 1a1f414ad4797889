import { isOn } from "./word-styles.ts";
import { ownValue } from "../office/own-value.ts";

/** A field between the marks `begin` and `end`. */
interface Field {
  instruction: string;
  /** The instruction is complete: what follows is shown. */
  isResult: boolean;
  hasText: boolean;
  /** The state of a check box of an older form. */
  isChecked?: boolean | undefined;
  options: string[];
  chosen: number;
  link?: string;
}

const newField = (): Field => ({ instruction: "", isResult: false, hasText: false, options: [], chosen: 0 });

/** Fields that show nothing: entries of an index, names for other fields. */
const silent = /^\s*(?:(?:XE|TC|TA|RD|SET|ASK|ADVANCE|PRIVATE|HYPERLINK)\b|$)/i;

const maxInstruction = 200;

/**
 * The fields of a Word document: a program computed what is shown of them. `add` adds text to the document. A field that has
 * no result is named by its instruction.
 */
export function wordFields(add: (text: string) => void) {
  const fields: Field[] = [];
  /** Of older forms. They are within the mark `begin`. */
  const form: Record<string, (field: Field, value: string | undefined) => void> = {
    checkBox: (field) => (field.isChecked ??= false),
    default: (field, value) => field.isChecked !== undefined && (field.isChecked = isOn(value)),
    checked: (field, value) => (field.isChecked = isOn(value)),
    result: (field, value) => (field.chosen = Number(value) || 0),
    listEntry: (field, value) => void field.options.push(value ?? ""),
  };

  const marks: Record<string, () => void> = {
    begin: () => fields.push(newField()),
    separate() {
      const field = fields.at(-1);
      if (!field) return;
      const [, link] = /^\s*HYPERLINK\s+"([^"]+)"/i.exec(field.instruction) ?? [];
      field.isResult = true;
      if (link === undefined) return;
      field.link = link;
      add("[");
      field.hasText = false;
    },
    end() {
      const field = fields.pop();
      if (!field || !isShown()) return;
      if (field.link !== undefined) add(`](${field.link})`);
      else if (field.isChecked !== undefined && !field.hasText) add(field.isChecked ? "[x]" : "[ ]");
      else if (!field.hasText) add(withoutResult(field));
    },
  };
  const isShown = () => fields.every(({ isResult }) => isResult);

  return {
    /** Whether the current text is shown, and not part of an instruction. */
    isShown,
    open(name: string, attributes: Record<string, string>): void {
      if (name === "fldChar") ownValue(marks, attributes["w:fldCharType"] ?? "")?.();
      if (name === "fldSimple")
        fields.push({ ...newField(), instruction: attributes["w:instr"] ?? "", isResult: true });
      const field = fields.at(-1);
      if (field && !field.isResult) ownValue(form, name)?.(field, attributes["w:val"]);
    },
    close(name: string): void {
      if (name === "fldSimple") marks["end"]?.();
    },
    /** A paragraph ends. An instruction is within one: without its end, the rest of a document would not be shown. */
    endParagraph(): void {
      for (const field of fields) field.isResult = true;
    },
    /** Text was added. */
    shown(text: string): void {
      if (text.trim() === "") return;
      for (const field of fields) field.hasText = true;
    },
    instruction(text: string): void {
      const field = fields.at(-1);
      if (field && !field.isResult && field.instruction.length < maxInstruction) field.instruction += text;
    },
  };
}

function withoutResult({ instruction, options, chosen }: Field): string {
  if (options.length > 0) return options[chosen] ?? "";
  if (silent.test(instruction)) return "";
  if (/^\s*FORMTEXT\b/i.test(instruction)) return "[empty form field]";
  const [, text] = /^\s*MACROBUTTON\s+\S+\s+(.*)/is.exec(instruction) ?? [];
  return text ?? `[field: ${instruction.trim().slice(0, maxInstruction)}]`;
}
