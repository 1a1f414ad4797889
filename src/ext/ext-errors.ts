import { apiErrors } from "../http/rest/errors.ts";
import { errorsOf } from "../error-codes.ts";

export const extErrors = apiErrors(errorsOf("ext"));
