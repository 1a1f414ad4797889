import fc from "fast-check";

/**
 * fast-check with a fixed seed, so that a property passes or fails on every machine alike.
 * `AGENT_RUNS_TEST_SEED=$RANDOM npm test` tries other cases; a failure prints its seed.
 */
fc.configureGlobal({ seed: Number(process.env.AGENT_RUNS_TEST_SEED ?? 1) });

export default fc;
