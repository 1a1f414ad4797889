import { bridgeBytes } from "./limits.ts";

/** Where the patched shell records the limits that a script exceeded. */
export const exceededLimits = Symbol.for("just-bash exceeded limits");
const record = `(globalThis[Symbol.for("${exceededLimits.description}")]??=[]).push`;

/** Changes of published files of just-bash 3.4.2: text to find, replacement. */
const edits = [
  // A file crosses between Python's thread and the shell's in one shared buffer. As published, it has 8 MB, and Python
  // reports a larger file as missing. The memory is used only when it is written to.
  ["DATA_BUFFER: 8388608", `DATA_BUFFER: ${bridgeBytes}`],
  ["TOTAL: 8392736", `TOTAL: ${bridgeBytes + 4128}`],
  ["DATA_BUFFER:8388608,TOTAL:8392736", `DATA_BUFFER:${bridgeBytes},TOTAL:${bridgeBytes + 4128}`],
  // A script can hide an exceeded limit: in a pipe, with `|| true`, or with `2>/dev/null`.
  ["this.limitType=e,", `this.limitType=e,${record}({type:e,message:t}),`],
  ["throw new Error(`ENOSPC:", `throw ${record}({type:"files",message:"too many bytes in files"}),new Error(\`ENOSPC:`],
  // awk's printf measured the whole output for each line: 20,000 lines took 30 s.
  ["Math.max(0,e.maxOutputSize-V(e.output))", "Math.max(0,e.maxOutputSize-e.output.length)"],
  // sort -k took blanks at the start of a line, such as those of uniq -c, for an empty first field.
  ["l=e!==null?e:/\\s+/,s=u.split(l)", "l=e!==null?e:/\\s+/,s=(e!==null?u:u.trimStart()).split(l)"],
  // ls printed an empty line before each file but the first, which wc -l counts.
  [
    "P>0&&o&&!o.endsWith(",
    "P>0&&o&&(await t.fs.stat(t.fs.resolvePath(t.cwd,$)).catch(()=>({}))).isDirectory&&!o.endsWith(",
  ],
  // jq returned groups in the order of their first elements, and @csv did not quote every string.
  [
    'return[[...c.values()]]}case"max"',
    'return[[...c].sort((h,a)=>p(JSON.parse(h[0]),JSON.parse(a[0]))).map(h=>h[1])]}case"max"',
  ],
  ['let o=String(s);return o.includes(",")', 'let o=String(s);return true||o.includes(",")'],
];

// Source text, for the same reason as in atomics-wait-patch.ts.
const patch = `
  import { registerHooks } from "node:module";
  const edits = ${JSON.stringify(edits)};
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.includes("/just-bash/dist/bundle/") || !loaded.source) return loaded;
      let source = typeof loaded.source === "string" ? loaded.source : new TextDecoder().decode(loaded.source);
      for (const [from, to] of edits) source = source.replace(from, () => to);
      return { ...loaded, source };
    },
  });
`;

/**
 * URL of a module that changes the code of just-bash while it is loaded. A process imports it before everything else, so
 * that its threads have it, too. test/integration/sandbox/data-tasks.test.ts fails when a new version of just-bash does
 * not have the texts to change.
 */
export const justBashPatchUrl = `data:text/javascript,${encodeURIComponent(patch)}`;
