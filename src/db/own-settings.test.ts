import { expect, test } from "vitest";
import { withOwnSettings } from "./own-settings.ts";

const addressOf = (connectionString: string) => withOwnSettings({ connectionString }).connectionString;

test.each(["prefer", "require", "verify-ca"])(
  "sslmode=%s checks the server's certificate and name",
  (mode) => {
    expect(addressOf(`postgres://u:p@h/d?sslmode=${mode}&sslrootcert=/ca.pem`)).toBe(
      "postgres://u:p@h/d?sslmode=verify-full&sslrootcert=/ca.pem",
    );
    expect(addressOf(`postgres://u:p@h/d?options=-c%20search_path%3Dapp&sslmode=${mode}`)).toBe(
      "postgres://u:p@h/d?sslmode=verify-full",
    );
  },
);

test.each([
  "postgres://u:p@h/d",
  "postgres://u:p@h/d?sslmode=disable",
  "postgres://u:p@h/d?sslmode=no-verify",
  "postgres://u:p@h/d?uselibpqcompat=true&sslmode=require",
])("%s stays as it is", (address) => {
  expect(addressOf(address)).toBe(address);
});
