import type { Failure } from "../../agent/model.ts";
import { ServiceError } from "../../errors.ts";
import type { Run } from "../run-types.ts";

/** The failure of a fork while its record is copied, and for good if the service is interrupted meanwhile. */
export const incompleteFork: Failure = {
  category: "internal",
  title: "The record of the forked run was not copied completely.",
  remedy: "Delete this run and fork the other one again.",
  retryable: false,
};

/** The same of an import. */
export const incompleteImport: Failure = {
  category: "internal",
  title: "The record of the bundle was not imported completely.",
  remedy: "Delete this run and import the bundle again.",
  retryable: false,
};

/** Rejects a run that has a part of the record that it was to continue. */
export function requireWholeRecord({ id, failure }: Pick<Run, "id" | "failure">): void {
  if (failure?.title === incompleteImport.title) {
    const message = `run ${id} has only a part of the record that was imported; delete it, and import the bundle again`;
    throw new ServiceError("invalid_argument", message);
  }
  if (failure?.title !== incompleteFork.title) return;
  throw new ServiceError(
    "invalid_argument",
    `run ${id} has only a part of the record that it was to continue, so it can be neither retried nor forked; delete it, and fork the other run again`,
  );
}
