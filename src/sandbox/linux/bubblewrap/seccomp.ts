import { answers, encodeFilter, type Instruction, offsets, bpfOperations } from "./bpf.ts";

/** Processor architectures for which a filter can be made, as Node names them. */
export type FilterArchitecture = "x64" | "arm64";

/** Numbers of a system call. Undefined: the architecture does not have it. */
type Numbers = Record<FilterArchitecture, number | undefined>;

const both = (x64: number, arm64: number | undefined = x64): Numbers => ({ x64, arm64 });

// Errors, from asm-generic/errno.h.
export const notPermitted = 1;
const noSuchCall = 38;
export const noSuchFamily = 97;

/** System calls that a program has no use for. Numbers: arch/x86/entry/syscalls/syscall_64.tbl and asm-generic/unistd.h. */
const refused: Record<string, Numbers> = {
  // Keyrings belong to the user outside of the sandbox, and so to all sandboxes that share it.
  add_key: both(248, 217),
  request_key: both(249, 218),
  keyctl: both(250, 219),
  // Large parts of the kernel that most published escapes went through.
  bpf: both(321, 280),
  perf_event_open: both(298, 241),
  userfaultfd: both(323, 282),
  // Other processes. A debugger could also undo the filter's decisions on old kernels.
  ptrace: both(101, 117),
  process_vm_readv: both(310, 270),
  process_vm_writev: both(311, 271),
  kcmp: both(312, 272),
  pidfd_getfd: both(438),
  process_madvise: both(440),
  // Mounts and namespaces.
  mount: both(165, 40),
  umount2: both(166, 39),
  pivot_root: both(155, 41),
  chroot: both(161, 51),
  open_tree: both(428),
  move_mount: both(429),
  fsopen: both(430),
  fsconfig: both(431),
  fsmount: both(432),
  fspick: both(433),
  mount_setattr: both(442),
  statmount: both(457),
  listmount: both(458),
  unshare: both(272, 97),
  setns: both(308, 268),
  // Files by handle, which ignore mounts, and events of a whole file system.
  name_to_handle_at: both(303, 264),
  open_by_handle_at: both(304, 265),
  fanotify_init: both(300, 262),
  fanotify_mark: both(301, 263),
  // The machine: modules, kernels, swap, clocks, names, accounting, its log.
  init_module: both(175, 105),
  finit_module: both(313, 273),
  delete_module: both(176, 106),
  kexec_load: both(246, 104),
  kexec_file_load: both(320, 294),
  reboot: both(169, 142),
  swapon: both(167, 224),
  swapoff: both(168, 225),
  acct: both(163, 89),
  quotactl: both(179, 60),
  quotactl_fd: both(443),
  syslog: both(103, 116),
  settimeofday: both(164, 170),
  clock_settime: both(227, 112),
  clock_adjtime: both(305, 266),
  adjtimex: both(159, 171),
  sethostname: both(170, 161),
  setdomainname: both(171, 162),
  vhangup: both(153, 58),
  lookup_dcookie: both(212, 18),
  nfsservctl: both(180, 42),
  iopl: both(172, undefined),
  ioperm: both(173, undefined),
  modify_ldt: both(154, undefined),
  uselib: both(134, undefined),
  ustat: both(136, undefined),
  sysfs: both(139, undefined),
  _sysctl: both(156, undefined),
  create_module: both(174, undefined),
  get_kernel_syms: both(177, undefined),
  query_module: both(178, undefined),
  // Placement of memory on nodes, and memory that the kernel itself cannot read.
  mbind: both(237, 235),
  set_mempolicy: both(238, 237),
  migrate_pages: both(256, 238),
  move_pages: both(279, 239),
  memfd_secret: both(447),
};

/** Asynchronous system calls of io_uring bypass the filter. Programs that find none use the others. */
const absent: Record<string, Numbers> = {
  io_uring_setup: both(425),
  io_uring_enter: both(426),
  io_uring_register: both(427),
  // The kernel has a number of these for the whole machine (fs.aio-max-nr), of which one call can take nearly all.
  io_setup: both(206, 0),
  // Its flags are in memory, where a filter cannot read them. The C library then uses clone.
  clone3: both(435),
};

/** Names of calls that fail for every program: as not permitted, and as unknown to the kernel. */
export const refusedCalls: readonly string[] = Object.keys(refused);
export const absentCalls: readonly string[] = Object.keys(absent);

/** Memory that belongs to no process: without a control group, nothing bounds it. */
const unboundMemory: Record<string, Numbers> = {
  memfd_create: both(319, 279),
  shmget: both(29, 194),
};

const clone = both(56, 220);
const socket = both(41, 198);
const socketpair = both(53, 199);
const ioctl = both(16, 29);
const personality = both(135, 92);
const setsockopt = both(54, 208);

/** Calls from this number on are newer than this list: those of Linux 6.10 and later. */
const firstUnknown = 463;
/** Added to the numbers of the x32 interface, which is a second way to most calls. */
const x32 = 0x4000_0000;
const auditArchitecture = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
export const namespaceFlags = 0x7e02_0000;
/** AF_UNIX, AF_INET, AF_INET6. The sandbox has a network namespace with nothing in it. */
export const families = [1, 2, 10];
/** TIOCSTI and TIOCLINUX type into a terminal. */
const terminalRequests = [0x5412, 0x541c];
/** SOL_SOCKET, and SO_SNDBUF and SO_RCVBUF of it: larger buffers are memory that belongs to no process. */
const socketLevel = 1;
const bufferOptions = [7, 8];
/** The default personality, and the question which one is set. */
const personalities = [0, 0xffff_ffff];

/**
 * A seccomp filter for `bwrap --seccomp`: an array of `struct sock_filter`. It refuses what a program of a sandbox has no
 * use for, so that fewer parts of the kernel can be attacked. `isMemoryBound`: a control group bounds all memory of the
 * sandbox; without one, memory that belongs to no process is refused.
 */
export function seccompFilter(architecture: FilterArchitecture, isMemoryBound: boolean): Buffer {
  const { load, jumpIfEqual, jumpIfAtLeast, jumpIfAnyBit, answer } = bpfOperations;
  const { allow, kill, failWith } = answers;
  const code: Instruction[] = [];
  const add = (...instruction: Instruction): void => void code.push(instruction);
  const failIf = (number: number | undefined, error: number): void => {
    if (number === undefined) return;
    add(jumpIfEqual, number, 0, 1);
    add(answer, failWith(error));
  };
  /** Allows the call only if its argument is one of `values`, or, without `only`, none of them. */
  const restrict = (call: Numbers, argument: number, values: number[], only: boolean, error: number): void => {
    add(jumpIfEqual, call[architecture] ?? 0, 0, values.length + 3);
    add(load, offsets.argument(argument));
    const [listed, others] = only ? [allow, failWith(error)] : [failWith(error), allow];
    values.forEach((value, index) => add(jumpIfEqual, value, values.length - index, 0));
    add(answer, others);
    add(answer, listed);
  };

  add(load, offsets.architecture);
  add(jumpIfEqual, auditArchitecture[architecture], 1, 0);
  add(answer, kill);
  add(load, offsets.number);
  if (architecture === "x64") {
    add(jumpIfAtLeast, x32, 0, 1);
    add(answer, failWith(noSuchCall));
  }
  add(jumpIfAtLeast, firstUnknown, 0, 1);
  add(answer, failWith(noSuchCall));
  for (const numbers of Object.values(absent)) failIf(numbers[architecture], noSuchCall);
  for (const numbers of Object.values(refused)) failIf(numbers[architecture], notPermitted);
  if (!isMemoryBound) for (const numbers of Object.values(unboundMemory)) failIf(numbers[architecture], notPermitted);
  add(jumpIfEqual, clone[architecture] ?? 0, 0, 4);
  add(load, offsets.argument(0));
  add(jumpIfAnyBit, namespaceFlags, 0, 1);
  add(answer, failWith(notPermitted));
  add(answer, allow);
  for (const call of [socket, socketpair]) restrict(call, 0, families, true, noSuchFamily);
  restrict(ioctl, 1, terminalRequests, false, notPermitted);
  if (!isMemoryBound) {
    add(jumpIfEqual, setsockopt[architecture] ?? 0, 0, 3 + bufferOptions.length + 2);
    add(load, offsets.argument(1));
    add(jumpIfEqual, socketLevel, 0, bufferOptions.length + 1);
    add(load, offsets.argument(2));
    bufferOptions.forEach((option, index) => add(jumpIfEqual, option, bufferOptions.length - index, 0));
    add(answer, allow);
    add(answer, failWith(notPermitted));
  }
  restrict(personality, 0, personalities, true, notPermitted);
  add(answer, allow);
  return encodeFilter(code);
}

/** The architecture of this machine. Undefined: there is no filter for it, so programs must not be run. */
export function filterArchitecture(): FilterArchitecture | undefined {
  return process.arch === "x64" || process.arch === "arm64" ? process.arch : undefined;
}
