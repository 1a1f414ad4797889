import { describe, expect, test } from "vitest";
import { html } from "./markdown-html.ts";

const link = (address: string, text: string): string =>
  `<a href="${address}" title="${address}" target="_blank" rel="noopener noreferrer nofollow">${text}</a>`;

const references = ["a", "b  C", "b c"].map((text) => link("https://x.y/z", text)).join(" ") + " [d]";
const nested = '<ol start="1"><li>a<ul><li>b<ul><li>c</li></ul></li></ul></li><li>d</li></ol>';

describe("blocks", () => {
  test.each([
    ["headings", "# One\n###### Six ##\nTwo\n===\nThree\n---", "<h3>One</h3><h6>Six</h6><h3>Two</h3><h4>Three</h4>"],
    ["no headings", "#hash\n\n####### seven\n\n- #1", "<p>#hash</p><p>####### seven</p><ul><li>#1</li></ul>"],
    ["paragraphs", "one\ntwo\n\n\nthree", "<p>one\ntwo</p><p>three</p>"],
    ["hard breaks", "one  \ntwo\\\nthree", "<p>one<br>two<br>three</p>"],
    ["rules", "***\n\n- - -\n\n___", "<hr><hr><hr>"],
    ["fences", "```sh\nls\n\n  *x*\n```\n~~~\n```\n~~~", '<pre info="sh">ls\n\n  *x*</pre><pre>```</pre>'],
    ["a long fence", "````md\n```\n````", '<pre info="md">```</pre>'],
    ["a fence that was cut", "```py\nprint(1)\n\n# x", '<pre info="py">print(1)\n\n# x</pre>'],
    ["tabs in code", "```\nall:\n\tmake\n```", "<pre>all:\n\tmake</pre>"],
    ["indented code", "x\n\n    one\n\n      two\n\ny", "<p>x</p><pre>one\n\n  two</pre><p>y</p>"],
    ["indented text", "x\n    y", "<p>x\n    y</p>"],
    ["bullets", "- a\n- b\n* c\n+ d", "<ul><li>a</li><li>b</li></ul><ul><li>c</li></ul><ul><li>d</li></ul>"],
    ["numbers", "3. a\n4. b\n\n1) c", '<ol start="3"><li>a</li><li>b</li></ol><ol start="1"><li>c</li></ol>'],
    ["a year", "It was\n1986. A great year.", "<p>It was\n1986. A great year.</p>"],
    ["loose", "- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"],
    ["continued", "- a\nb\n  c\n\nd", "<ul><li>a\nb\nc</li></ul><p>d</p>"],
    ["paragraphs in items", "1. a\n\n   b\n2. c", '<ol start="1"><li><p>a</p><p>b</p></li><li><p>c</p></li></ol>'],
    ["tasks", "- [ ] a\n- [x] b\n- [y] c", "<ul><li>☐ a</li><li>☑ b</li><li>[y] c</li></ul>"],
    ["nested by three", "1. a\n   - b\n     - c\n2. d", nested],
    ["nested by four", "1. a\n    - b\n        - c\n2. d", nested],
    ["nested by tabs", "1. a\n\t- b\n\t\t- c\n2. d", nested],
    ["empty item", "-\n- a", "<ul><li></li><li>a</li></ul>"],
    ["quotes", "> a\nb\n> > c\n\nd", "<blockquote><p>a\nb</p><blockquote><p>c</p></blockquote></blockquote><p>d</p>"],
    ["a quoted list", "> - a\n> - b\n\nc", "<blockquote><ul><li>a</li><li>b</li></ul></blockquote><p>c</p>"],
    ["Windows line ends", "# a\r\n\r\n- b\r\n- c\r\n", "<h3>a</h3><ul><li>b</li><li>c</li></ul>"],
  ])("%s", (_, text, expected) => {
    expect(html(text)).toBe(expected);
  });
});

describe("tables", () => {
  test("have alignment, escaped pipes, and rows of any length", () => {
    expect(html("Prices:\n| a | b |\n|:--|:-:|\n| `x\\|y` | *z* |\n| 1 |\n| 1 | 2 | 3 |\n\nEnd")).toBe(
      "<p>Prices:</p><table><tr><th left>a</th><th center>b</th></tr>" +
        "<tr><td left><code>x|y</code></td><td center><em>z</em></td></tr><tr><td left>1</td><td center></td></tr>" +
        "<tr><td left>1</td><td center>2</td></tr></table><p>End</p>",
    );
  });

  test.each([
    ["a | b\n--|--:\nc | d", "<table><tr><th>a</th><th right>b</th></tr><tr><td>c</td><td right>d</td></tr></table>"],
    ["| a |\n|---|", "<table><tr><th>a</th></tr></table>"],
    ["a | b\nc | d", "<p>a | b\nc | d</p>"],
    ["a | b\n---", "<h4>a | b</h4>"],
  ])("%j", (text, expected) => {
    expect(html(text)).toBe(expected);
  });
});

describe("content", () => {
  test.each([
    ["**a** __b__ *c* _d_ ~~e~~", "<b>a</b> <b>b</b> <em>c</em> <em>d</em> <del>e</del>"],
    ["***a*** **b *c* d** *e **f** g*", "<em><b>a</b></em> <b>b <em>c</em> d</b> <em>e <b>f</b> g</em>"],
    ["***a** b* ***c* d**", "<em><b>a</b> b</em> <b><em>c</em> d</b>"],
    ["**Bold:**text, **not bold, *em*", "**Bold:**text, **not bold, <em>em</em>"],
    ["snake_case_name, x_1 + x_2, 2 * 3 * 4, ~5 ~/src", "snake_case_name, x_1 + x_2, 2 * 3 * 4, ~5 ~/src"],
    ["un*frigging*believable, *.ts and *.tsx", "un<em>frigging</em>believable, *.ts and *.tsx"],
    ["****a**** ~~~b~~~ ** **", "<b><b>a</b></b> ~~~b~~~ ** **"],
    ["`a*b*` `` c`d `` ``e `f`", "<code>a*b*</code> <code>c`d</code> ``e <code>f</code>"],
    ["*a `b* c`", "*a <code>b* c</code>"],
    ["\\*a\\* \\`b\\` C:\\Users\\x \\", "*a* `b` C:\\Users\\x \\"],
    ["&lt;b&gt; &amp;amp; &#8364; &#x2014; &hellip; &nope; AT&T", "&lt;b> &amp;amp; € — … &amp;nope; AT&amp;T"],
    ["&#x202E;&#0;&#xd800;&#x110000;", "⟨U+202E⟩␀&amp;#xd800;&amp;#x110000;"],
    ["**重要**：内容，*重点*文字", "<b>重要</b>：内容，<em>重点</em>文字"],
    ["✅ **Done** 🎉 👩‍👩‍👧".replaceAll("\u200d", ""), "✅ <b>Done</b> 🎉 👩👩👧"],
    ["<b>x *y*</b><br><img src=x onerror=alert(1)>", "&lt;b>x <em>y</em>&lt;/b>&lt;br>&lt;img src=x onerror=alert(1)>"],
    ["src/a_b/*.ts:12 `npm run x`", "src/a_b/*.ts:12 <code>npm run x</code>"],
  ])("%j", (text, expected) => {
    expect(html(text)).toBe(`<p>${expected}</p>`);
  });
});

describe("links", () => {
  test.each([
    ['[a *b*](https://x.y/c_(d)?e=f&amp;g "Title")', link("https://x.y/c_(d)?e=f&g", "a <em>b</em>")],
    ["[a](<https://x.y/b c>) [d](mailto:e@f.gh)", `${link("https://x.y/b%20c", "a")} ${link("mailto:e@f.gh", "d")}`],
    ["<https://x.y/a> <b@c.de>", `${link("https://x.y/a", "https://x.y/a")} ${link("mailto:b@c.de", "b@c.de")}`],
    ["(see https://x.y/a_(b).)", `(see ${link("https://x.y/a_(b)", "https://x.y/a_(b)")}.)`],
    ["**https://x.y/a**, b", `<b>${link("https://x.y/a", "https://x.y/a")}</b>, b`],
    ["访问 https://x.y/a 。好", `访问 ${link("https://x.y/a", "https://x.y/a")} 。好`],
    ["[https://x.y/a](https://x.y/a)", link("https://x.y/a", "https://x.y/a")],
    ["`https://x.y` https://", "<code>https://x.y</code> https://"],
    ["[a][B c] [b  C][] [b c] [d]\n\n[b c]: https://x.y/z 'T'", references],
    ["[a](javascript:alert(1)) [b](JAVA&#115;CRIPT:x)", "[a](javascript:alert(1)) [b](JAVA&amp;#115;CRIPT:x)"],
    ["[a](data:text/html,x) [b](file:///etc) [c](./d.md)", "[a](data:text/html,x) [b](file:///etc) [c](./d.md)"],
    ["<javascript:alert(1)> ![a *b*](https://x.y/z.png)", "&lt;javascript:alert(1)> ![a *b*](https://x.y/z.png)"],
    ["[^1] [1]\n\n[^1]: https://x.y/z", `${link("https://x.y/z", "^1")} [1]`],
  ])("%j", (text, expected) => {
    expect(html(text)).toBe(`<p>${expected}</p>`);
  });
});
