import type { FilterArchitecture } from "../../sandbox/linux/seccomp.ts";

/** Numbers of system calls by architecture: arch/x86/entry/syscalls/syscall_64.tbl and asm-generic/unistd.h. */
const refused: Record<FilterArchitecture, number[]> = {
  // shmget, semget, msgget and mq_open make things that outlive all processes of a container.
  x64: [29, 64, 68, 240],
  arm64: [194, 190, 186, 180],
};
const socketCall: Record<FilterArchitecture, number> = { x64: 41, arm64: 198 };

const localSockets = 1; // AF_UNIX
// Errors, from asm-generic/errno.h.
const notPermitted = 1;
const networkUnreachable = 101;

/** Classic BPF, from linux/filter.h and linux/seccomp.h. */
const operation = { load: 0x20, jumpIfEqual: 0x15, answer: 0x06 };
const allow = 0x7fff_0000;
const failWith = (error: number): number => 0x0005_0000 | error;
const numberOffset = 0;
const firstArgumentOffset = 16;

/**
 * A seccomp filter for programs that share a container with the service's own process, in addition to `seccompFilter`, which
 * checks the architecture. A program has no sockets but local ones: neither the platform's API on the loopback interface nor
 * S3 can be reached. It leaves nothing in the kernel that the next program could find.
 */
export function containerFilter(architecture: FilterArchitecture): Buffer {
  const failing = refused[architecture].flatMap((number) => [
    [operation.jumpIfEqual, number, 0, 1],
    [operation.answer, failWith(notPermitted), 0, 0],
  ]);
  const code = [
    [operation.load, numberOffset, 0, 0],
    ...failing,
    [operation.jumpIfEqual, socketCall[architecture], 0, 3],
    [operation.load, firstArgumentOffset, 0, 0],
    [operation.jumpIfEqual, localSockets, 1, 0],
    [operation.answer, failWith(networkUnreachable), 0, 0],
    [operation.answer, allow, 0, 0],
  ];
  const bytes = Buffer.alloc(8 * code.length);
  code.forEach(([name = 0, value = 0, ifTrue = 0, ifFalse = 0], index) => {
    bytes.writeUInt16LE(name, 8 * index);
    bytes.writeUInt8(ifTrue, 8 * index + 2);
    bytes.writeUInt8(ifFalse, 8 * index + 3);
    bytes.writeUInt32LE(value, 8 * index + 4);
  });
  return bytes;
}
