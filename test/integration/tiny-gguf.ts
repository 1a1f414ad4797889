/**
 * A model file for llama.cpp that says what a test tells it to: a Llama with one layer whose weights are zero, so that the next
 * token depends on the last one only. The chat template ends the prompt with the token of what is to be said.
 */

/** Vocabulary: `<unk>`, `<s>`, `</s>`, the 256 bytes, and for each text a token that asks for it and one that is it. */
const firstText = 259;
const [unknown, normal, control, userDefined, byte] = [2, 1, 3, 4, 6];
const end = 2;

/** GGUF types of values. */
const [u32, f32, bool, string, array] = [4, 6, 7, 8, 9];

type Value = { type: number; value: number | boolean | string } | { of: number; values: (number | string)[] };

interface Tensor {
  shape: number[];
  data: Float32Array;
}

/** `texts`: what it can say, by name. `{name}` texts are said when the prompt ends with `<|name|>`. */
export function tinyGguf(texts: Record<string, string>, chatTemplate: string): Buffer {
  const said = Object.entries(texts);
  const tokens = [
    { text: "<unk>", type: unknown },
    { text: "<s>", type: control },
    { text: "</s>", type: control },
    ...Array.from({ length: 256 }, (_, code) => {
      return { text: `<0x${code.toString(16).toUpperCase().padStart(2, "0")}>`, type: byte };
    }),
    ...said.flatMap(([name, text]) => [
      { text: `<|${name}|>`, type: control },
      { text, type: userDefined },
    ]),
  ];
  const width = Math.ceil((said.length * 2 + 1) / 32) * 32;
  const metadata: Record<string, Value> = {
    "general.architecture": { type: string, value: "llama" },
    "llama.context_length": { type: u32, value: 32_768 },
    "llama.embedding_length": { type: u32, value: width },
    "llama.block_count": { type: u32, value: 1 },
    "llama.feed_forward_length": { type: u32, value: 32 },
    "llama.attention.head_count": { type: u32, value: 1 },
    "llama.attention.layer_norm_rms_epsilon": { type: f32, value: 1e-5 },
    "llama.rope.dimension_count": { type: u32, value: width },
    "llama.vocab_size": { type: u32, value: tokens.length },
    "tokenizer.ggml.model": { type: string, value: "llama" },
    "tokenizer.ggml.tokens": { of: string, values: tokens.map(({ text }) => text) },
    "tokenizer.ggml.scores": { of: f32, values: tokens.map(() => 0) },
    "tokenizer.ggml.token_type": { of: u32 + 1, values: tokens.map(({ type }) => type ?? normal) },
    "tokenizer.ggml.bos_token_id": { type: u32, value: 1 },
    "tokenizer.ggml.eos_token_id": { type: u32, value: end },
    "tokenizer.ggml.unknown_token_id": { type: u32, value: 0 },
    "tokenizer.ggml.add_space_prefix": { type: bool, value: false },
    "tokenizer.chat_template": { type: string, value: chatTemplate },
  };

  const embedding = new Float32Array(tokens.length * width);
  const output = new Float32Array(tokens.length * width);
  for (let token = 0; token < tokens.length; token++) {
    embedding[token * width + dimensionOf(token)] = 1;
    output[nextOf(token) * width + dimensionOf(token)] = 10;
  }
  const ones = { shape: [width], data: new Float32Array(width).fill(1) };
  const tensors: Record<string, Tensor> = {
    "token_embd.weight": { shape: [width, tokens.length], data: embedding },
    "output_norm.weight": ones,
    "output.weight": { shape: [width, tokens.length], data: output },
    "blk.0.attn_norm.weight": ones,
    "blk.0.attn_q.weight": zeros(width, width),
    "blk.0.attn_k.weight": zeros(width, width),
    "blk.0.attn_v.weight": zeros(width, width),
    "blk.0.attn_output.weight": zeros(width, width),
    "blk.0.ffn_norm.weight": ones,
    "blk.0.ffn_gate.weight": zeros(32, width),
    "blk.0.ffn_up.weight": zeros(32, width),
    "blk.0.ffn_down.weight": zeros(width, 32),
  };
  return encode(metadata, tensors);
}

function zeros(rows: number, columns: number): Tensor {
  return { shape: [columns, rows], data: new Float32Array(rows * columns) };
}

/** 0 stands for all tokens after which nothing follows; the other dimensions, for the tokens of the texts. */
function dimensionOf(token: number): number {
  return Math.max(0, token - firstText + 1);
}

function nextOf(token: number): number {
  return token >= firstText && (token - firstText) % 2 === 0 ? token + 1 : end;
}

/** GGUF 3: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */
function encode(metadata: Record<string, Value>, tensors: Record<string, Tensor>): Buffer {
  const parts: Buffer[] = [];
  const uint32 = (value: number): void => {
    const buffer = Buffer.alloc(4);
    buffer.writeUInt32LE(value);
    parts.push(buffer);
  };
  const uint64 = (value: number): void => {
    const buffer = Buffer.alloc(8);
    buffer.writeBigUInt64LE(BigInt(value));
    parts.push(buffer);
  };
  const text = (value: string): void => {
    uint64(Buffer.byteLength(value));
    parts.push(Buffer.from(value));
  };
  const scalar = (type: number, value: number | boolean | string): void => {
    if (typeof value === "string") text(value);
    else if (typeof value === "boolean") parts.push(Buffer.from([value ? 1 : 0]));
    else if (type === f32) parts.push(Buffer.from(new Float32Array([value]).buffer));
    else uint32(value);
  };
  parts.push(Buffer.from("GGUF"));
  uint32(3);
  uint64(Object.keys(tensors).length);
  uint64(Object.keys(metadata).length);
  for (const [key, value] of Object.entries(metadata)) {
    text(key);
    if ("type" in value) {
      uint32(value.type);
      scalar(value.type, value.value);
    } else {
      uint32(array);
      uint32(value.of);
      uint64(value.values.length);
      for (const each of value.values) scalar(value.of, each);
    }
  }
  const alignment = 32;
  let offset = 0;
  for (const [name, { shape, data }] of Object.entries(tensors)) {
    text(name);
    uint32(shape.length);
    for (const size of shape) uint64(size);
    uint32(0); // F32
    uint64(offset);
    offset += Math.ceil(data.byteLength / alignment) * alignment;
  }
  const pad = (length: number): Buffer => Buffer.alloc((alignment - (length % alignment)) % alignment);
  const header = Buffer.concat(parts);
  const data = Object.values(tensors).flatMap(({ data: each }) => [Buffer.from(each.buffer), pad(each.byteLength)]);
  return Buffer.concat([header, pad(header.length), ...data]);
}
