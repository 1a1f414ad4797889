import { becomeOrdinaryUser } from "./ordinary-user.ts";

// As root, the tests of a file run as a new user; `SUBUID` says whether it has users of its own in /etc/subuid.
becomeOrdinaryUser({ range: process.env["SUBUID"] === "range" });
