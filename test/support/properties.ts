import fc from "fast-check";

/**
 * fast-check with one seed for everybody: what was green stays green, and what is red is red on every machine.
 * `AGENT_RUNS_TEST_SEED=$RANDOM npm test` looks for cases that nobody has seen; a failure prints its seed.
 */
fc.configureGlobal({ seed: Number(process.env.AGENT_RUNS_TEST_SEED ?? 1) });

export default fc;
