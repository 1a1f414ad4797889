import { apiErrors } from "../api/rest/errors.ts";
import { errors } from "./contract/errors.ts";

export const manageErrors = apiErrors(errors);

/** An error of the management API with its status. */
export const manageError = manageErrors.error;
