import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { link, open, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { createVault, type Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";
import { randomId } from "../base/ids.ts";
import type { Secrets } from "../config.ts";

/** How the environment tells of keys. */
type Given = Pick<Secrets, "secret_key" | "secret_keys_old" | "secret_key_file" | "secret_key_command">;

const run = promisify(execFile);
/** A key management service that doesn't answer must not hold up a start for good. */
const COMMAND_MS = 30_000;
const LEAST = 32;

/** The key that SECRET_KEY, SECRET_KEY_FILE or SECRET_KEY_COMMAND names; null where none is set. */
async function givenKey({ secret_key, secret_key_file, secret_key_command }: Given): Promise<string | null> {
  if (secret_key) return secret_key;
  if (secret_key_file) {
    const text = await readFile(secret_key_file, "utf8").catch((cause) => {
      throw new Fault("unavailable", `SECRET_KEY_FILE (${secret_key_file}) can't be read (${cause.code}).`, {
        cause,
      });
    });
    return longEnough(text, `SECRET_KEY_FILE (${secret_key_file})`);
  }
  if (!secret_key_command) return null;
  const [program = "", ...values] = secret_key_command.trim().split(/\s+/);
  // What it prints to its error output may hold a secret.
  const { stdout } = await run(program, values, { timeout: COMMAND_MS, encoding: "utf8" }).catch((cause) => {
    const why = cause.killed
      ? `gave no key in ${COMMAND_MS / 1000} s`
      : `ended with ${cause.code ?? "a signal"}`;
    throw new Fault("unavailable", `SECRET_KEY_COMMAND (${program}) ${why}.`);
  });
  return longEnough(stdout, `SECRET_KEY_COMMAND (${program})`);
}

function longEnough(text: string, source: string): string {
  const key = text.trim();
  if (key.length < LEAST)
    throw new Fault(
      "unavailable",
      `${source} gives a key of ${key.length} characters; use ${LEAST} or more.`,
    );
  return key;
}

/** The present key, from the environment or the data directory; null where there is none. */
export const presentKey = async (dataDir: string, given: Given): Promise<string | null> =>
  (await givenKey(given)) ?? (await readSecretKey(dataDir));

/** What the present key is called, or would be, to somebody who has to keep or replace it. */
export function keyPlace(
  dataDir: string,
  { secret_key, secret_key_file, secret_key_command }: Given,
): string {
  if (secret_key) return "SECRET_KEY";
  if (secret_key_file) return `SECRET_KEY_FILE (${secret_key_file})`;
  return secret_key_command ? "SECRET_KEY_COMMAND" : secretKeyFile(dataDir);
}

/** What to do when the database was made with another key, or the key's file is missing. */
export function wrongKeyText(dataDir: string, given: Given, source: SecretKey["source"]): string {
  const file = secretKeyFile(path.resolve(dataDir));
  const now = {
    environment: `${keyPlace(dataDir, given)} is not the key`,
    file: `${file} is not the key`,
    generated: `${file} is missing: it is the key`,
  }[source];
  return `${now} that this database's secrets were sealed with. Set SECRET_KEY to that key, or put back the file secret.key of the data directory the database was first started with. (docs/running.md, "The secret key", says what to do when it is lost.)`;
}

/** A vault that also reads with earlier keys: those of SECRET_KEY_OLD, and `secret.key.old` in the data directory. */
export async function vaultWith(key: string, dataDir: string, given: Given): Promise<Vault> {
  const old = await readFile(`${secretKeyFile(dataDir)}.old`, "utf8").catch(() => "");
  const earlier = [...given.secret_keys_old, ...old.split("\n").map((line) => line.trim())];
  return createVault(
    key,
    earlier.filter((one) => one.length >= LEAST),
  );
}

/** The key that seals secrets and where it came from; `generated` names a file that did not exist before. */
export type SecretKey = { key: string; source: "environment" | "file" | "generated" };

export const secretKeyFile = (dataDir: string): string => path.join(dataDir, "secret.key");

export async function findSecretKey(dataDir: string, given: Given): Promise<SecretKey> {
  const fromEnvironment = await givenKey(given);
  if (fromEnvironment) return { key: fromEnvironment, source: "environment" };
  const known = await readSecretKey(dataDir);
  if (known !== null) return { key: known, source: "file" };
  const source = (await generate(dataDir)) ? "generated" : "file";
  const key = await readSecretKey(dataDir);
  if (key === null) throw new Fault("unavailable", `${secretKeyFile(dataDir)} was removed during the start.`);
  return { key, source };
}

/** null when there is none. */
export async function readSecretKey(dataDir: string): Promise<string | null> {
  const file = secretKeyFile(dataDir);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw unreadable(file, error);
  }
  const key = text.trim();
  if (key.length < 32) throw new Fault("unavailable", `${file} holds no key. Restore it, or set SECRET_KEY.`);
  return key;
}

/**
 * Written under another name, brought to the disk and linked to its own: a program that dies half-way, or another that
 * starts at the same moment, never sees half a key. Whoever moves the data moves this file with it.
 */
async function generate(dataDir: string): Promise<boolean> {
  const file = secretKeyFile(dataDir);
  const unfinished = `${file}.${randomId()}`;
  const handle = await open(unfinished, "wx", 0o600).catch((error) => {
    throw unwritable(file, error);
  });
  try {
    await handle.writeFile(`${randomBytes(32).toString("hex")}\n`);
    await handle.sync();
    await link(unfinished, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw unwritable(file, error);
  } finally {
    await handle.close();
    await rm(unfinished, { force: true });
  }
}

const unreadable = (file: string, cause: unknown): Fault =>
  new Fault(
    "unavailable",
    `${file} can't be read (${(cause as NodeJS.ErrnoException).code}). Start Parley as its owner, or set SECRET_KEY.`,
    { cause },
  );

const unwritable = (file: string, cause: unknown): Fault =>
  new Fault(
    "unavailable",
    `${file} can't be written (${(cause as NodeJS.ErrnoException).code}). Set DATA_DIR to a folder this user may write to, on a disk with room.`,
    { cause },
  );
