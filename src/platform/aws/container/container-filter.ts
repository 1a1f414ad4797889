import {
  answers,
  encodeFilter,
  type Instruction,
  offsets,
  bpfOperations,
} from "../../../sandbox/linux/bubblewrap/bpf.ts";
import { type FilterArchitecture, notPermitted } from "../../../sandbox/linux/bubblewrap/seccomp.ts";

/** Numbers of system calls by architecture: arch/x86/entry/syscalls/syscall_64.tbl and asm-generic/unistd.h. */
const refused: Record<FilterArchitecture, number[]> = {
  // shmget, semget, msgget and mq_open make things that outlive all processes of a container.
  x64: [29, 64, 68, 240],
  arm64: [194, 190, 186, 180],
};
const socketCall: Record<FilterArchitecture, number> = { x64: 41, arm64: 198 };

const localSockets = 1; // AF_UNIX
/** From asm-generic/errno.h. */
const networkUnreachable = 101;

/**
 * A seccomp filter for programs that share a container with the service's own process, in addition to `seccompFilter`, which
 * checks the architecture. A program has no sockets but local ones: neither the platform's API on the loopback interface nor
 * S3 can be reached. It leaves nothing in the kernel that the next program could find.
 */
export function containerFilter(architecture: FilterArchitecture): Buffer {
  const { load, jumpIfEqual, answer } = bpfOperations;
  const { allow, failWith } = answers;
  const failing = refused[architecture].flatMap((number): Instruction[] => [
    [jumpIfEqual, number, 0, 1],
    [answer, failWith(notPermitted)],
  ]);
  return encodeFilter([
    [load, offsets.number],
    ...failing,
    [jumpIfEqual, socketCall[architecture], 0, 3],
    [load, offsets.argument(0)],
    [jumpIfEqual, localSockets, 1, 0],
    [answer, failWith(networkUnreachable)],
    [answer, allow],
  ]);
}
