import { escapeInvisible } from "../parts.ts";

/** An annotation as pdf.js returns it: a field of a form, or a comment. The values are the document's. */
export interface PdfAnnotation {
  subtype?: string;
  fieldType?: string;
  fieldName?: string;
  fieldValue?: string | string[] | null;
  checkBox?: boolean;
  radioButton?: boolean;
  pushButton?: boolean;
  password?: boolean;
  options?: { exportValue: string; displayValue: string }[];
  contentsObj?: { str: string };
  titleObj?: { str: string };
  /** An attached file. */
  file?: { filename: string };
}

/** Fields and comments that are shown of one page. */
const maxShown = 1_000;

/** Annotations whose text a person wrote, without links and pop-up windows. */
const comments =
  /^(?:Text|FreeText|Highlight|Underline|StrikeOut|Squiggly|Caret|Stamp|Ink|Square|Circle|Line|PolyLine|Polygon)$/;

/** The form fields and comments of a page, each on a line under a heading. Empty if it has none. */
export function annotationText(annotations: PdfAnnotation[], page: number): string {
  const fields = new Set(annotations.flatMap((each) => (each.subtype === "Widget" ? fieldLine(each) : [])));
  const notes = annotations.flatMap((each) => (comments.test(each.subtype ?? "") ? commentLine(each) : []));
  return [section(`Form fields of page ${page}`, [...fields]), section(`Comments of page ${page}`, notes)]
    .filter((text) => text !== "")
    .join("\n");
}

function section(heading: string, lines: string[]): string {
  if (lines.length === 0) return "";
  const more = lines.length > maxShown ? [`[${lines.length - maxShown} more are not shown.]`] : [];
  return [`[${heading}]`, ...lines.slice(0, maxShown), ...more].join("\n");
}

/** `name: value`. The buttons of one choice have the same line. */
function fieldLine(field: PdfAnnotation): string[] {
  const name = escapeInvisible(field.fieldName ?? "");
  if (field.fieldType === "Sig") return [`${name}: [signature field]`];
  if (field.pushButton === true || field.fieldType === undefined) return [];
  if (field.password === true) return [`${name}: [password, not shown]`];
  return [`${name}: ${fieldValue(field)}`];
}

function fieldValue(field: PdfAnnotation): string {
  const values = [field.fieldValue ?? []].flat().filter((value) => value !== "");
  const [chosen = "Off"] = values;
  if (field.checkBox === true) {
    if (chosen === "Off") return "not checked";
    return chosen === "Yes" || chosen === "On" ? "checked" : `checked (${oneLine([chosen])})`;
  }
  if (field.radioButton === true) return chosen === "Off" ? "[none chosen]" : oneLine(values);
  const shown = values.map((value) => {
    const label = field.options?.find(({ exportValue }) => exportValue === value)?.displayValue ?? value;
    return label === value ? value : `${label} (${value})`;
  });
  return shown.length === 0 ? "[empty]" : oneLine(shown);
}

function commentLine(comment: PdfAnnotation): string[] {
  const text = oneLine([comment.contentsObj?.str ?? ""]);
  const author = oneLine([comment.titleObj?.str ?? ""]);
  return text === "" ? [] : [`${author === "" ? "" : `${author}: `}${text}`];
}

/** Line ends in a value could make it look like another field. */
function oneLine(texts: string[]): string {
  return texts.map((text) => text.trim().replaceAll(/[\r\n\v\f\u0085\u2028\u2029]+/g, " / ")).join(", ");
}
