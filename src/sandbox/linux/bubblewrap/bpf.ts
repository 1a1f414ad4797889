/** Operations of classic BPF that seccomp filters use, from linux/filter.h. */
export const bpfOperations = {
  load: 0x20,
  jumpIfEqual: 0x15,
  jumpIfAtLeast: 0x35,
  jumpIfAnyBit: 0x45,
  answer: 0x06,
} as const;

/** What a filter answers, from linux/seccomp.h. */
export const answers = {
  allow: 0x7fff_0000,
  kill: 0x8000_0000,
  /** The call fails with an error number. */
  failWith: (error: number): number => 0x0005_0000 | error,
} as const;

/** Offsets in `struct seccomp_data`. Of an argument: its low half. Both architectures are little-endian. */
export const offsets = { number: 0, architecture: 4, argument: (n: number): number => 16 + 8 * n } as const;

/** One instruction. `ifTrue`, `ifFalse`: how many instructions a jump skips. Default: none. */
export type Instruction = [operation: number, value: number, ifTrue?: number, ifFalse?: number];

/** The instructions as an array of `struct sock_filter`. */
export function encodeFilter(instructions: Instruction[]): Buffer {
  const bytes = Buffer.alloc(8 * instructions.length);
  instructions.forEach(([operation, value, ifTrue = 0, ifFalse = 0], index) => {
    bytes.writeUInt16LE(operation, 8 * index);
    bytes.writeUInt8(ifTrue, 8 * index + 2);
    bytes.writeUInt8(ifFalse, 8 * index + 3);
    bytes.writeUInt32LE(value >>> 0, 8 * index + 4);
  });
  return bytes;
}
