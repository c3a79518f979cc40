import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { sha256 } from "../base/crypto.ts";
import { keyForFiles } from "../data-keys/data-keys.ts";
import { sealBytes } from "../data-keys/sealed-file.ts";
import { writeWhole } from "../data-keys/whole-file.ts";
import type { IncomingMail } from "../mime/mail-message.ts";
import type { MailParts } from "./mail-parts.ts";

/** A file that came with a mail; its bytes lie in the data directory under `file_name`, which we choose. */
export type StoredFile = { name: string; content_type: string; size: number; file_name: string };

/** Where files of mails lie; machines of a cluster share this folder. */
const mailFolder = (dataDir: string): string => path.join(dataDir, "mail");

/**
 * Writes them before the mail is stored: a row never names a file that isn't there. Their names follow from the mail, so
 * that one that comes again, as it does where a process died over it, replaces what it left the last time. They lie
 * sealed where their organization wants what is said to.
 */
export async function storeFiles(
  { dataDir, vault, engine: { db } }: Pick<MailParts, "dataDir" | "vault" | "engine">,
  target: { id: number; sub_organization_id: number },
  { message_id, attachments }: Pick<IncomingMail, "message_id" | "attachments">,
): Promise<StoredFile[]> {
  if (attachments.length === 0) return [];
  const key = await keyForFiles({ db, vault }, target.sub_organization_id);
  const folder = mailFolder(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files: StoredFile[] = [];
  for (const [index, { name, content_type, bytes }] of attachments.entries()) {
    const content = createHash("sha256").update(bytes).digest("hex");
    const file_name = sha256(`${target.id} ${message_id} ${index} ${content}`).slice(0, 40);
    await writeWhole(path.join(folder, file_name), key ? sealBytes(key, bytes) : bytes);
    files.push({ name, content_type, size: bytes.length, file_name });
  }
  return files;
}

/** What the agent reads of them: it can't look into them, but can say that they came. */
export function filesInWords(files: readonly StoredFile[]): string {
  const shown = files.map(
    ({ name, content_type, size }) => `${name} (${content_type}, ${Math.ceil(size / 1024)} kB)`,
  );
  return shown.length === 0 ? "" : `[attached: ${shown.join(", ")}]`;
}
