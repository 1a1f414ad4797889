/** The kinds of systems that run the programs of tools. */
export const programSystems = ["linux", "wasm"] as const;

/** What runs the programs of a tool. `digest`: of the Linux environment. */
export interface ProgramSystem {
  kind: (typeof programSystems)[number];
  digest?: string;
}
