import { describe, expect, it } from "vitest";
import { docxOf, pdfOf, xlsxOf, zip } from "../../fixtures/documents.ts";
import { allTools, files } from "./scripted.ts";

// Documents lose nothing without saying so: what changes the meaning of a text is marked, and what is left out is named.

async function run(tool: string, name: string, content: Buffer, input: object): Promise<string> {
  const found = allTools().find(({ definition }) => definition.name === tool);
  const context = { files: files({ [name]: content }), signal: new AbortController().signal };
  return (await found?.run(input, context))?.text ?? "";
}

/** What `read_file` returns, without its first line. */
async function read(name: string, content: Buffer, part?: string): Promise<string> {
  const text = await run("read_file", name, content, { name, ...(part !== undefined && { part }) });
  return text.replace(/^.*: lines \d+ to \d+ of \d+\n/, "");
}

const html = (body: string) => read("a.eml", Buffer.from(`Content-Type: text/html; charset=utf-8\n\n${body}`));
const rtf = (body: string) => read("a.rtf", Buffer.from(String.raw`{\rtf1 ${body}}`));
const word = (body: string, members?: Record<string, string>) => read("a.docx", docxOf(body, members));

const p = (content: string) => `<w:p>${content}</w:p>`;
const r = (text: string, properties = "") =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const raised = '<w:vertAlign w:val="superscript"/>';

/** A presentation with one slide of this XML. */
const pptx = (shapes: string) =>
  zip({
    "[Content_Types].xml": "<Types/>",
    "ppt/presentation.xml":
      '<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="s"/></p:sldIdLst></p:presentation>',
    "ppt/_rels/presentation.xml.rels":
      '<Relationships><Relationship Id="s" Type="x/slide" Target="slides/slide1.xml"/></Relationships>',
    "ppt/slides/slide1.xml": `<p:sld xmlns:p="p" xmlns:a="a" xmlns:r="r">${shapes}</p:sld>`,
  });
const shape = (x: number, y: number, text: string) =>
  `<p:sp><p:spPr><a:xfrm><a:off x="${x}" y="${y}"/></a:xfrm></p:spPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;

const slideRun = (text: string, format: string) => `<a:r><a:rPr ${format}/><a:t>${text}</a:t></a:r>`;

const odt = (styles: string, text: string) =>
  zip({
    mimetype: "application/vnd.oasis.opendocument.text",
    "content.xml": `<office:document-content>${styles}<office:text>${text}</office:text></office:document-content>`,
  });
const odtStyle = (name: string, property: string) =>
  `<style:style style:name="${name}"><style:text-properties ${property}/></style:style>`;
const span = (style: string, text: string) => `<text:span text:style-name="${style}">${text}</text:span>`;

describe("raised, lowered, struck-out and hidden text", () => {
  const marked = "10⁶ H₂O 1<sup>st</sup> ~~900~~ 700 [hidden: obey]";

  it("is marked alike in all formats", async () => {
    expect(await html("10<sup>6</sup> H<sub>2</sub>O 1<sup>st</sup> <s>900</s> 700 <span hidden>obey</span>")).toBe(
      marked,
    );
    const lowered = '<w:vertAlign w:val="subscript"/>';
    const runs = [r("10"), r("6", raised), r(" H"), r("2", lowered), r("O 1"), r("s", raised), r("t", raised), r(" ")];
    expect(await word(p(runs.join("") + r("900", "<w:strike/>") + r(" 700 ") + r("obey", "<w:vanish/>")))).toBe(marked);
    expect(await rtf(String.raw`10{\super 6} H{\sub 2}O 1{\super st} {\strike 900} 700 {\v obey}`)).toBe(marked);
    const styles =
      odtStyle("U", 'style:text-position="super 58%"') +
      odtStyle("D", 'style:text-position="sub 58%"') +
      odtStyle("S", 'style:text-line-through-style="solid"') +
      odtStyle("H", 'text:display="none"');
    const text = `10${span("U", "6")} H${span("D", "2")}O 1${span("U", "st")} ${span("S", "900")} 700 ${span("H", "obey")}`;
    expect(await read("a.odt", odt(styles, `<text:p>${text}</text:p>`))).toBe(marked);
  });

  it("is marked in slides", async () => {
    const text =
      slideRun("10", "") +
      slideRun("6", 'baseline="30000"') +
      slideRun(" x", "") +
      slideRun("i", 'baseline="-25000"') +
      slideRun(" 9", 'strike="sngStrike"');
    const hidden = `<p:sp><p:nvSpPr><p:cNvPr hidden="1"/></p:nvSpPr><p:txBody><a:p>${text}</a:p></p:txBody></p:sp>`;
    expect(await read("a.pptx", pptx(hidden))).toContain("[hidden: 10⁶ x<sub>i</sub> ~~9~~]");
  });

  it.each([
    ['<p style="display:none">x</p>', "[hidden: x]"],
    ['<p style="color:#fff">x</p>', "[hidden: x]"],
    ['<p style="color:white;background:#000">x</p>', "x"],
    ['<p style="display:block;color:#eee;background:#eee">x</p>', "[hidden: x]"],
    ["<style>.a{display:none}.a.b{display:block}</style><p class=a>x</p><p class='a b'>y</p>", "[hidden: x]\n\ny"],
    ["<style>@media print{p{display:none}}</style><p>x</p>", "x"],
    ['<div style="font-size:0"><p>x</p><p>y</p></div>', "[hidden: x]\n\n[hidden: y]"],
    ['<p aria-hidden="true">x</p>', "x"],
    ['<table><tr style="display:none"><td>x<tr><td>y</table>', "[hidden: x]\n\ny"],
    ["<table><tr><td>a<td>b<tr hidden><td>c<td>d</table>", "| a | b |\n| --- | --- |\n| [hidden: c] | [hidden: d] |"],
  ])("of HTML is found: %s", async (body, text) => {
    expect(await html(body)).toBe(text);
  });

  it.each([
    [r("x", '<w:color w:val="FFFFFF"/>'), "[hidden: x]"],
    [r("x", '<w:color w:val="FFFFFF"/><w:shd w:fill="000000"/>'), "x"],
    [r("x", '<w:vanish w:val="0"/>'), "x"],
    [r("x", "<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>"), "x"],
    [r("x", '<w:sz w:val="2"/>'), "[hidden: x]"],
  ])("of a Word document is found: %s", async (content, text) => {
    expect(await word(p(content))).toBe(text);
  });
});

describe("HTML", () => {
  it("keeps the columns of tables with spans", async () => {
    const rows = "<tr><td colspan=2>a<td>b<tr><td rowspan=2>c<td>d<br>e<td>f<tr><td>g<td>h<tr><td colspan=99>i";
    expect(await html(`<table>${rows}</table>`)).toBe(
      "| a |  | b |\n| --- | --- | --- |\n| c | d<br>e | f |\n|  | g | h |\n| i |  |  |",
    );
  });

  it("shows the states of forms", async () => {
    const form =
      "<input type=checkbox checked> a <input type=radio> b <select><option>c<option selected>d</select> " +
      "<input name=e value=f> <textarea name=g>h</textarea> <input type=hidden value=i>";
    expect(await html(form)).toBe(
      "[x] a ( ) b [choice: d; not chosen: c] [field e: f] [field g: h]\n" +
        "[Not in this text: 1 hidden value of a form.]",
    );
  });

  it("names what is not text, and reads equations", async () => {
    const body =
      '<img src="data:image/png;base64,AA" alt=Logo> <iframe src=/a></iframe> <svg><text>b</text></svg> <video></video> ' +
      "<math><mfrac><mi>x</mi><mn>2</mn></mfrac></math>";
    expect(await html(body)).toBe(
      "[picture: Logo] [embedded page, not read: /a][drawing: b] [video, not read]x/2\n" +
        "[Not in this text: 1 embedded page, 1 video.]",
    );
  });

  it("keeps numbers of lists, terms, insertions and Markdown characters", async () => {
    expect(
      await html("<ol start=3 type=a><li>x<li value=9>y</ol><dl><dt>t<dd>u</dl><del>v</del><ins>w</ins> a_b_1"),
    ).toBe("c. x\ni. y\n\nt\n: u\n\n~~v~~<ins>w</ins> a_b_1");
  });
});

/** A level of a list of Word. */
const level = (index: number, format: string, text: string, more = "") =>
  `<w:lvl w:ilvl="${index}">${more}<w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
const item = (list: number, index: number, text: string) =>
  p(`<w:pPr><w:numPr><w:ilvl w:val="${index}"/><w:numId w:val="${list}"/></w:numPr></w:pPr>${r(text)}`);
const lists = (prefix = "w") =>
  `<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:abstractNum w:abstractNumId="0">${
    level(0, "upperRoman", "%1.", '<w:start w:val="4"/>') +
    level(1, "decimal", "%1.%2", "<w:isLgl/>") +
    level(2, "lowerLetter", "(%3)")
  }</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="9"/></w:lvlOverride></w:num></w:numbering>`.replaceAll(
    "w:",
    `${prefix}:`,
  );

const fields = (instruction: string, result = "", data = "") =>
  `<w:r><w:fldChar w:fldCharType="begin">${data}</w:fldChar></w:r><w:r><w:instrText>${instruction}</w:instrText></w:r>` +
  `${result === "" ? "" : `<w:r><w:fldChar w:fldCharType="separate"/></w:r>${r(result)}`}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;

/** A run of an equation. */
const t = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;

describe("a Word document", () => {
  it.each(["w", "ns0"])("has the numbers of its lists, also with the prefix %s", async (prefix) => {
    const body =
      [item(1, 0, "Term"), item(1, 1, "Notice"), item(1, 2, "Cause"), item(1, 2, "Fraud"), p(r("See 4.1(b)."))].join(
        "",
      ) + [item(1, 0, "Liability"), item(1, 1, "Cap"), item(2, 0, "Annex"), item(1, 0, "Law")].join("");
    const numbering = lists(prefix).replaceAll(`xmlns${prefix}:`, "xmlns:w");
    expect(await word(body, { "word/numbering.xml": numbering.replace("xmlns:w=", `xmlns:${prefix}=`) })).toBe(
      "IV. Term\n  4.1 Notice\n    (a) Cause\n    (b) Fraud\n\nSee 4.1(b).\n\n" +
        "V. Liability\n  5.1 Cap\nIX. Annex\nX. Law",
    );
  });

  it("keeps words in wrappers, fields and breaks", async () => {
    const wrapped = ["smartTag", "customXml", "fldSimple", "bdo"]
      .map((name) => `<w:${name}>${r(name)}</w:${name}> `)
      .join("");
    const sdt = `<w:sdt><w:sdtPr><w:alias w:val="no"/></w:sdtPr><w:sdtContent>${r("sdt")}</w:sdtContent></w:sdt>`;
    expect(await word(p(wrapped + sdt))).toBe("smartTagcustomXmlfldSimplebdosdt");
    expect(await word(p(r("a") + "<w:r><w:cr/></w:r>" + r("b") + "<w:r><w:ptab/></w:r>" + r("c")))).toBe("a\nb\tc");
    expect(await word(p('<w:fldSimple w:instr="EQ y"/>'))).toBe("[field: EQ y]");
    expect(await word(p('<w:r><w:fldChar w:fldCharType="begin"/></w:r>') + p(r("rest")))).toBe("rest");
    const box = "<w:ffData><w:checkBox><w:checked/></w:checkBox></w:ffData>";
    expect(
      await word(p(fields("REF x", "5.1") + fields("XE index") + fields("EQ x") + fields("FORMCHECKBOX", "", box))),
    ).toBe("5.1[field: EQ x][x]");
  });

  it("has its equations on one line", async () => {
    const square = `<m:sSup><m:e>${t("b")}</m:e><m:sup>${t("2")}</m:sup></m:sSup>`;
    const root = `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e>${square}${t("-4ac")}</m:e></m:rad>`;
    const fraction = `<m:f><m:num>${t("-b±")}${root}</m:num><m:den>${t("2a")}</m:den></m:f>`;
    expect(await word(p(`${r("x=")}<m:oMath>${fraction}</m:oMath>`))).toBe("x=(-b±√(b^2-4ac))/(2a)");
  });

  it("has its text boxes, and names pictures and objects", async () => {
    const text = `<wps:txbx><w:txbxContent>${p(r("boxed"))}</w:txbxContent></wps:txbx>`;
    const choice = `<mc:Choice><w:drawing>${text}</w:drawing></mc:Choice>`;
    const twice = `<mc:AlternateContent>${choice}<mc:Fallback><w:pict>${text}</w:pict></mc:Fallback></mc:AlternateContent>`;
    const drawn = '<w:drawing><wp:docPr descr="a map"/><a:blip/></w:drawing>';
    const body = p(
      `<w:r>${twice}</w:r>${r("anchor")}<w:r>${drawn}</w:r><w:r><w:object><o:OLEObject ProgID="Excel"/></w:object></w:r>`,
    );
    expect(await word(body)).toBe(
      "anchor[picture: a map][embedded object, not read: Excel]\n\n[Text box: boxed]\n" +
        "[Not in this text: 1 picture, 1 embedded object.]",
    );
  });
});

describe("a slide", () => {
  it("has its texts from top to bottom and left to right, the title first", async () => {
    const title =
      '<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Title</a:t></a:r></a:p></p:txBody></p:sp>';
    const shapes = shape(5e6, 5e6, "last") + shape(5e6, 1e5, "right") + shape(0, 2e5, "left") + title + "<p:pic/>";
    expect(await read("a.pptx", pptx(shapes))).toBe(
      "[Slide 1 of 1]\n# Title\nleft\nright\nlast\n[Not in this text: 1 picture.]",
    );
  });
});

describe("an RTF document", () => {
  it("has text boxes and check boxes, and no deleted text", async () => {
    const boxed = String.raw`{\shp{\*\shpinst{\shptxt in a box\par}}{\shprslt{\*\do{\dptxbxtext in a box\par}}}}`;
    const check = String.raw`{\field{\*\fldinst{FORMCHECKBOX{\*\formfield{\fftype1\ffres25\ffdefres1}}}}{\fldrslt}}`;
    expect(await rtf(String.raw`${boxed}{\deleted old}{\revised new} ${check}{\mmath{\*\moMath x}}\par`)).toBe(
      "new [x][equation, not read]\n[Text box: in a box]\n[Not in this text: 1 equation.]\n" +
        "[Tracked changes are shown as accepted, without the deleted texts.]",
    );
  });
});

/** A workbook whose cells have these values and formats. */
function formatted(cells: [value: number, format: string][]): Promise<string> {
  const sheet = cells.map(([value], n) => `<row r="${n + 1}"><c r="A${n + 1}" s="${n + 1}"><v>${value}</v></c></row>`);
  const formats = cells.map(
    ([, format], n) => `<numFmt numFmtId="${200 + n}" formatCode="${format.replaceAll('"', "&quot;")}"/>`,
  );
  const xfs = cells.map((_, n) => `<xf numFmtId="${200 + n}" fontId="0"/>`);
  const styles = `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts>${formats.join("")}</numFmts><fonts><font/></fonts><cellXfs><xf numFmtId="0" fontId="0"/>${xfs.join("")}</cellXfs></styleSheet>`;
  return read("a.xlsx", xlsxOf(`<sheetData>${sheet.join("")}</sheetData>`, "", "", { "xl/styles.xml": styles }));
}

describe("a workbook", () => {
  it.each<[number, string, string]>([
    [0.25, "0%", "0.25 (25%)"],
    [1234, "00000", "1234 (01234)"],
    [1_500_000, '0.0,,"M"', "1500000 (1.5M)"],
    [1234.5, "#,##0.00 [$€-407]", "1234.5 (1,234.50 €)"],
    [12, '0" pcs"', "12 (12 pcs)"],
    [3, ";;;", "[hidden: 3]"],
    [1234.567, "#,##0.0", "1234.567"],
    [-5, "0;(0)", "-5"],
  ])("shows %s in the format %s as well, if that says more", async (value, format, text) => {
    expect(await formatted([[value, format]])).toContain(`| 1 | ${text} |`);
  });
});

/** An email with a text part, an HTML part and an invitation. */
const both = (text: string, body: string) =>
  read(
    "a.eml",
    Buffer.from(
      "Date: Tue, 03 Mar 2026 23:30:00 -0800\nContent-Type: multipart/alternative; boundary=b\n\n" +
        `--b\nContent-Type: text/plain\n\n${text}\n--b\nContent-Type: text/html\n\n${body}\n` +
        "--b\nContent-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\n--b--\n",
    ),
  );

describe("an email", () => {
  it("has the date in the zone of its sender, and names calendars", async () => {
    const text = await both("Pay 100.", "<p>Pay <b>100</b>.</p>");
    expect(text).toMatch(
      /^Date: Tue, 03 Mar 2026 23:30:00 -0800\n\nAttachments .*\n- attachment-1.ics \(.* calendar\)/,
    );
    expect(text).toMatch(/\nPay 100\.\n\[The HTML part has the same words as the text part, and is not shown\.\]$/);
  });

  it("shows HTML that says something else than the text", async () => {
    expect(await both("Pay 100.", "<p>Pay <b>250</b>.</p>")).toMatch(
      /\[Text part\]\nPay 100\.\n\n\[HTML part, which says more\]\nPay \*\*250\*\*\.$/,
    );
  });
});

describe("a name in a ZIP archive", () => {
  it.each<[string, BufferEncoding | "cp437", string]>([
    ["CP437", "cp437", "größe.txt"],
    ["UTF-8", "utf8", "größe.txt"],
  ])("without a mark is read as %s", async (encoding, bytes, name) => {
    const archive = zip(
      { [bytes === "cp437" ? "gr\u0094\u00e1e.txt" : name]: "x" },
      bytes === "cp437" ? "latin1" : bytes,
    );
    expect(await read("a.zip", archive)).toMatch(
      new RegExp(`\n${name} .*\n\\[Names without a mark .* are read as ${encoding}`),
    );
  });
});

describe("a PDF", () => {
  it("names attached files, and reads them with part", async () => {
    const attached = pdfOf([
      "<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(a.xml) 4 0 R] >> >> >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>",
      "<< /Type /Filespec /F (a.xml) /EF << /F 5 0 R >> >>",
      "<< /Length 4 >>\nstream\n<a/>\nendstream",
    ]);
    expect(await read("a.pdf", attached)).toContain("Attached files (read one with part):\n- a.xml");
    expect(await read("a.pdf", attached, "a.xml")).toBe("<a/>");
  });

  it("whose font has no mapping is a scan", async () => {
    const content = "BT /F1 12 Tf 72 700 Td (ABC) Tj ET";
    const encoding = "<< /Type /Encoding /Differences [65 /uniF001 /uniF002 /uniF003] >>"; // private characters
    const unmapped = pdfOf([
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
      `<< /Type /Font /Subtype /Type1 /BaseFont /X /Encoding ${encoding} >>`,
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]);
    expect(await read("a.pdf", unmapped)).toMatch(
      /without text, probably a scan.*\n\[The text of page 1 is not read: the fonts do not say which characters they show\.\]$/,
    );
  });

  it("has raised digits", async () => {
    const content = "BT /F1 12 Tf 72 700 Td (10) Tj /F1 7 Tf 13.4 5 Td (6) Tj ET";
    const page =
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>";
    const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";
    const objects = ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [4 0 R] /Count 1 >>", font, page];
    expect(
      await read("a.pdf", pdfOf([...objects, `<< /Length ${content.length} >>\nstream\n${content}\nendstream`])),
    ).toBe("[Page 1 of 1]\n10⁶");
  });
});

describe("what a document lacks", () => {
  it("is named by search_files", async () => {
    const picture = docxOf(p(`${r("text")}<w:r><w:drawing><a:blip/></w:drawing></w:r>`));
    expect(await run("search_files", "a.docx", picture, { pattern: "absent" })).toMatch(
      /a\.docx: \[Not in this text: 1 picture\.\]/,
    );
  });

  it.each([
    ["scan.tif", "II*\0", /is a TIFF image, .* run_python reads it with Pillow/],
    ["photo.heic", "\0\0\0\x18ftypheic", /is a HEIC image .* The owner can save it as JPEG or PNG/],
  ])("is named for a picture that models do not see: %s", async (name, bytes, text) => {
    expect(await read(name, Buffer.concat([Buffer.from(bytes, "latin1"), Buffer.alloc(40)]))).toMatch(text);
  });
});
