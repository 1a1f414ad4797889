import { installAll } from "./installations.ts";

/** Installs what the test files need before they need it at the same time. */
export default installAll;
