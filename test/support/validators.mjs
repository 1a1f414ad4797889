import { buildValidators } from "../../scripts/built.mjs";

/** Compiles the validators if one of their sources is newer, as `npm test` does. */
export default function setup() {
  return buildValidators();
}
