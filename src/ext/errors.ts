import { apiErrors } from "../api/rest/errors.ts";
import { errors } from "./contract/errors.ts";

export const extErrors = apiErrors(errors);
