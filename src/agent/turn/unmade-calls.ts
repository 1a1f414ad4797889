import type { Failure, ModelAnswer, ToolDefinition } from "../model.ts";

/**
 * A tool call that the model made and the server did not send as one. Stored in the journal.
 * - `call_as_text`: the text of the answer is the call, in the form in which the model writes calls.
 * - `call_missing`: the server says that the model stopped for a call.
 */
export const unmadeCalls = ["call_as_text", "call_missing"] as const;
export type UnmadeCall = (typeof unmadeCalls)[number];

/** How a family of models writes tool calls. The parser of the model server takes them out of the text, if it is set. */
interface CallMarkup {
  models: string;
  /** The beginning of an answer that is nothing else, and its end unless it is cut. */
  begin: RegExp;
  end: RegExp;
  /** The names of the called tools. */
  names: RegExp;
  example: string;
}

export const callMarkups: readonly CallMarkup[] = [
  {
    models: "Hermes, Qwen (jundot/omlx#3153)",
    begin: /^<tool_call>\s*\{/,
    end: /(<\/tool_call>|\})$/,
    names: /"name"\s*:\s*"([^"]+)"/g,
    example: '<tool_call>\n{"name": "list_files", "arguments": {}}\n</tool_call>',
  },
  {
    // The first tag is often missing.
    models: "Qwen3-Coder (raullenchai/Rapid-MLX#480)",
    begin: /^(<tool_call>\s*)?<function=/,
    end: /<\/(tool_call|function|parameter)>$/,
    names: /<function=([^>\s]+)>/g,
    example: "<tool_call>\n<function=list_files>\n<parameter=folder>\na\n</parameter>\n</function>\n</tool_call>",
  },
  {
    models: "GLM-4.5 and later",
    begin: /^<tool_call>\s*[\w.-]+\s*<(arg_key|\/tool_call)>/,
    end: /<\/tool_call>$/,
    names: /<tool_call>\s*([\w.-]+)/g,
    example: "<tool_call>list_files\n<arg_key>folder</arg_key>\n<arg_value>a</arg_value>\n</tool_call>",
  },
  {
    // Some servers remove the tokens between the words. What the model thinks may be before the call.
    models: "gpt-oss (kekzl/imp#1716)",
    begin:
      /^(<\|start\|>)?(assistant)?\s*((<\|channel\|>)?analysis[^]*?assistant)?\s*(<\|channel\|>)?(commentary)?\s*to=functions\./,
    end: /\}$/,
    names: /\bto=functions\.([\w-]+)/g,
    example: "<|channel|>commentary to=functions.list_files <|constrain|>json<|message|>{}<|call|>",
  },
  {
    models: "Mistral",
    begin: /^\[TOOL_CALLS\]/,
    end: /[}\]]$/,
    names: /(?<=\[TOOL_CALLS\]\s*|"name"\s*:\s*")([\w.-]+)/g,
    example: "[TOOL_CALLS]list_files[ARGS]{}",
  },
  {
    models: "Kimi",
    begin: /^<\|tool_calls_section_begin\|>/,
    end: /\}$/,
    names: /<\|tool_call_begin\|>\s*functions\.([\w-]+)/g,
    example:
      "<|tool_calls_section_begin|><|tool_call_begin|>functions.list_files:0<|tool_call_argument_begin|>{}" +
      "<|tool_call_end|><|tool_calls_section_end|>",
  },
  {
    // Those of Llama 3.1 with a tag are as Qwen3-Coder's.
    models: "Llama",
    begin: /^<\|python_tag\|>\s*\{/,
    end: /\}$/,
    names: /"name"\s*:\s*"([^"]+)"/g,
    example: '<|python_tag|>{"name": "list_files", "parameters": {}}',
  },
  {
    // The type of the call is before its name in V3 and R1.
    models: "DeepSeek",
    begin: /^<｜tool▁calls▁begin｜>/,
    end: /(<｜tool▁calls?▁end｜>|\}|```)$/,
    names: /<｜tool▁call▁begin｜>\s*(?:function<｜tool▁sep｜>)?([\w.-]+)/g,
    example:
      "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>list_files<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
  },
  {
    // MiniMax-M2 and DeepSeek V3.2, whose tags begin with `｜DSML｜`.
    models: "MiniMax, DeepSeek V3.2",
    begin: /^<(minimax:tool_call|(｜DSML｜)?function_calls)>\s*<(｜DSML｜)?invoke name=/,
    end: /<\/(minimax:tool_call|(｜DSML｜)?(function_calls|invoke|parameter))>$/,
    names: /<(?:｜DSML｜)?invoke name="([^"]+)"/g,
    example: '<minimax:tool_call>\n<invoke name="list_files">\n</invoke>\n</minimax:tool_call>',
  },
];

/** Special tokens after an answer, such as `<|im_end|>` and `<｜end▁of▁sentence｜>`. */
const lastTokens = /(\s*<(\|[a-z_]+\||｜end▁of▁sentence｜)>)+$/;

/** The offered tool whose call is the whole text of an answer. Undefined: the text is for people, also if it shows a call. */
export function callInText({ text, finishReason }: ModelAnswer, tools: ToolDefinition[]): string | undefined {
  const begun = text.trim();
  const possible = callMarkups.filter(({ begin }) => begin.test(begun));
  if (possible.length === 0) return undefined; // almost every answer; the rest reads the whole text
  const whole = begun.replace(lastTokens, "");
  const markup = finishReason === "length" ? possible[0] : possible.find(({ end }) => end.test(whole));
  const names = markup ? [...whole.matchAll(markup.names)].map(([, name = ""]) => name) : [];
  const offered = new Set(tools.map(({ name }) => name));
  return names.find((name) => offered.has(name));
}

/** The call that is missing in an answer without tool calls. */
export function unmadeCall(answer: ModelAnswer, tools: ToolDefinition[]): UnmadeCall | undefined {
  if (answer.finishReason === "tool-calls") return "call_missing";
  return callInText(answer, tools) === undefined ? undefined : "call_as_text";
}

/** What the model is told after the first one. */
export function unmadeNote(unmade: UnmadeCall): string {
  const was =
    unmade === "call_as_text"
      ? "Your last answer was a tool call written as text. Nothing was called."
      : "Your last answer ended with a tool call that did not arrive. Nothing was called.";
  return `${was} Call the tool in the form of this API, or answer the input with text.`;
}

/** The failure of the turn after the second one. */
export function unmadeFailure(unmade: UnmadeCall): Failure {
  return {
    category: "model_answer",
    title:
      unmade === "call_as_text"
        ? "The model server sent a tool call as text, twice."
        : "The model server announced a tool call and sent none, twice.",
    remedy:
      "Set the model server's tool-call parser for this model (vLLM: --enable-auto-tool-choice and --tool-call-parser; " +
      "SGLang: --tool-call-parser; llama.cpp: --jinja), or use another model or server.",
    retryable: false,
  };
}
