import { findDataKey } from "../../src/data-keys/data-keys.ts";
import { openSealed } from "../../src/data-keys/sealed-file.ts";
import type { TestApp } from "./app.ts";

/** The content of a recording's file, which lies sealed. */
export async function soundBytes(app: Pick<TestApp, "db" | "vault">, file: string): Promise<Buffer> {
  const sound = await openSealed(file, findDataKey(app));
  if (!sound) throw new Error(`there is no ${file}`);
  return Buffer.concat(await sound.stream().toArray());
}
