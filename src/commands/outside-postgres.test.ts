import { DatabaseError } from "pg";
import { expect, test } from "vitest";
import { connectionFault } from "./outside-postgres.ts";

const failed = (message: string, more: object) => Object.assign(new Error(message), more);
const refused = (code: string, message: string) =>
  Object.assign(new DatabaseError(message, message.length, "error"), { code });

test.each([
  [
    "a certificate that nobody on this machine vouches for",
    failed("unable to verify the first certificate; …", { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" }),
    "The certificate of the server at DATABASE_URL is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE). Name the file of the CA that signed it: ?sslmode=verify-full&sslrootcert=/path/to/ca.pem.",
  ],
  [
    "a certificate of another host",
    failed("Hostname/IP does not match certificate's altnames: IP: 10.0.0.1 is not in the cert's list: ", {
      code: "ERR_TLS_CERT_ALTNAME_INVALID",
    }),
    "The certificate of the server at DATABASE_URL is for another host: Hostname/IP does not match certificate's altnames: IP: 10.0.0.1 is not in the cert's list. Name the server as its certificate does.",
  ],
  [
    "a server without TLS",
    new Error("The server does not support SSL connections"),
    "The server at DATABASE_URL has no TLS. Turn it on there, or take sslmode out of DATABASE_URL.",
  ],
  [
    "an address without a password",
    new Error("SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string"),
    "The server at DATABASE_URL asks for a password, and the address has none: postgres://user:password@host/database.",
  ],
  [
    "a user who may make tables and no schema",
    refused("42501", "permission denied for database parley"),
    "The user of DATABASE_URL may not make tables and schemas (permission denied for database parley). Let it own the database: alter database … owner to ….",
  ],
  [
    "a schema that is not there",
    refused("3F000", "no schema has been selected to create in"),
    "The search_path of DATABASE_URL, or of its user, names no schema that is there (no schema has been selected to create in). Make it: create schema ….",
  ],
])("what stands in the way to the database is said with what to do: %s", (_what, error, sentence) => {
  expect(connectionFault(error)).toMatchObject({ message: sentence, cause: error });
});

test("a fault of our own stays what it is", () => {
  const ours = new TypeError("x is not a function");
  expect(connectionFault(ours)).toBe(ours);
});
