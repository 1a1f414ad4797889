/** Characters that have words of their own. */
export const characters = new Map(
  Object.entries({
    tab: "\t",
    emdash: "—",
    endash: "–",
    bullet: "•",
    lquote: "‘",
    rquote: "’",
    ldblquote: "“",
    rdblquote: "”",
    emspace: " ",
    enspace: " ",
    line: " ",
    nestcell: "\t",
  }),
);

/** Encodings of Windows code pages and of the character sets of fonts. */
const codePages: Record<number, string> = { 932: "shift_jis", 936: "gbk", 949: "euc-kr", 950: "big5", 65001: "utf-8" };
export const charsets: Record<number, number> = {
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};

/** Windows-1252 for a code page that is not known here. */
export function decoderOf(codePage: number): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(codePages[codePage] ?? `windows-${codePage}`);
  } catch {
    return new TextDecoder("windows-1252");
  }
}
