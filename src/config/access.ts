import type { Setting, SettingReader } from "./setting-reader.ts";

/** Whom the program lets in first, and what it runs as. */
export type AccessConfig = {
  bootstrap_admin_email: string;
  /** Root stays root. */
  run_as_root: boolean;
  /** Organizations are created by everyone who may change one, else by the operator. */
  everyone_creates_organizations: boolean;
};

export type AccessSecrets = {
  secret_key: string | null;
  /** Earlier secret keys, which are only read with. */
  secret_keys_old: string[];
  /** A file, or a program, that has the secret key. */
  secret_key_file: string | null;
  secret_key_command: string | null;
  bootstrap_api_token: string | null;
};

export const ACCESS_SETTINGS: Setting[] = [
  {
    name: "SECRET_KEY",
    example: "",
    about:
      "Encrypts secrets at rest and signs links; 32 characters or more. Generated into DATA_DIR when empty. Every machine of a cluster needs the same one.",
  },
  {
    name: "SECRET_KEY_FILE",
    example: "",
    about: "A file that holds the secret key, in place of SECRET_KEY.",
  },
  {
    name: "SECRET_KEY_COMMAND",
    example: "",
    about:
      "A program with its arguments, separated by blanks, that prints the secret key, in place of SECRET_KEY. Run at each start, without a shell.",
  },
  {
    name: "SECRET_KEY_OLD",
    example: "",
    about:
      "Earlier secret keys, separated by commas: what they sealed is still read, until `./parley rotate-keys` has sealed it anew.",
  },
  {
    name: "BOOTSTRAP_API_TOKEN",
    example: "",
    about: "The first API token, 32 characters or more. Generated and printed once when empty.",
  },
  {
    name: "BOOTSTRAP_ADMIN_EMAIL",
    example: "admin@localhost",
    about: "The e-mail address of the first administrator.",
  },
  {
    name: "ORGANIZATION_CREATION",
    example: "operator",
    about:
      "Who may create organizations: operator (administrators of the first one), or everyone who may change their own.",
  },
  {
    name: "RUN_AS_ROOT",
    example: "off",
    about:
      "Whether a program that root started stays root. off: after binding its ports it runs as the owner of DATA_DIR, else as postgres or nobody.",
  },
];

/** Of keys and tokens: 32 hexadecimal digits are 128 bits. */
const LEAST_CHARACTERS = 32;

export function readAccess({ given, isOn, oneOf, faults }: SettingReader): AccessConfig {
  const email = given("BOOTSTRAP_ADMIN_EMAIL") ?? "admin@localhost";
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) {
    faults.push(`BOOTSTRAP_ADMIN_EMAIL is "${email}"; use an e-mail address such as ann@example.com.`);
  }
  return {
    bootstrap_admin_email: email.toLowerCase(),
    run_as_root: isOn("RUN_AS_ROOT", "off"),
    everyone_creates_organizations:
      oneOf("ORGANIZATION_CREATION", ["operator", "everyone"], "operator") === "everyone",
  };
}

export function readAccessSecrets(read: SettingReader): AccessSecrets {
  const { given, faults } = read;
  const ways = ["SECRET_KEY", "SECRET_KEY_FILE", "SECRET_KEY_COMMAND"].filter((name) => given(name) !== null);
  if (ways.length > 1) faults.push(`${ways.join(" and ")} are set; use one of them.`);
  return {
    secret_key: secretOf(read, "SECRET_KEY"),
    secret_keys_old: oldKeys(read),
    secret_key_file: given("SECRET_KEY_FILE"),
    secret_key_command: given("SECRET_KEY_COMMAND"),
    bootstrap_api_token: bootstrapToken(read),
  };
}

function secretOf({ given, faults }: SettingReader, name: string): string | null {
  const text = given(name);
  if (text !== null && text.length < LEAST_CHARACTERS) {
    faults.push(
      `${name} has ${text.length} characters; use ${LEAST_CHARACTERS} or more (openssl rand -hex 32).`,
    );
  }
  return text;
}

function oldKeys({ list, faults }: SettingReader): string[] {
  const keys = list("SECRET_KEY_OLD");
  if (keys.some((key) => key.length < LEAST_CHARACTERS))
    faults.push(
      `SECRET_KEY_OLD has a key of fewer than ${LEAST_CHARACTERS} characters; separate several by commas.`,
    );
  return keys;
}

/** It has to fit into a header, and not look like the token that `./parley chat` makes itself. */
function bootstrapToken(read: SettingReader): string | null {
  const text = secretOf(read, "BOOTSTRAP_API_TOKEN");
  if (text !== null && !/^[!-~]+$/.test(text)) {
    read.faults.push(
      "BOOTSTRAP_API_TOKEN holds a space or a letter beyond ASCII; use letters, digits and signs.",
    );
  }
  if (text?.startsWith("local."))
    read.faults.push('BOOTSTRAP_API_TOKEN starts with "local."; use another (openssl rand -hex 32).');
  return text;
}
