import { apiErrors } from "../http/rest/errors.ts";
import { errorsOf } from "../error-codes.ts";

export const manageErrors = apiErrors(errorsOf("manage"));

/** An error of the management API with its status. */
export const manageError = manageErrors.error;
