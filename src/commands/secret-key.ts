import { randomBytes } from "node:crypto";
import { link, open, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { Fault } from "../base/errors.ts";
import { randomId } from "../base/ids.ts";

/** The key that seals secrets and where it came from; `generated` names a file that did not exist before. */
export type SecretKey = { key: string; source: "environment" | "file" | "generated" };

export const secretKeyFile = (dataDir: string): string => path.join(dataDir, "secret.key");

export async function findSecretKey(dataDir: string, fromEnvironment: string | null): Promise<SecretKey> {
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
