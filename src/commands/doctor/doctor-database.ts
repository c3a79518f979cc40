import { readFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { opens } from "../../backup/dump.ts";
import { errorText } from "../../base/errors.ts";
import type { Config, Secrets } from "../../config.ts";
import type { Connection } from "../../db/database.ts";
import { whyUnreadable } from "../../db/migrate.ts";
import { withOwnSettings } from "../../db/own-settings.ts";
import { askPostgres, obstacleIn, otherLetters, tooFewPlaces } from "../outside-postgres.ts";
import { keyPlace, presentKey, secretKeyFile, vaultWith, wrongKeyText } from "../secret-key.ts";
import type { Finding } from "./finding.ts";

/** Past this, what other programs of this machine say of times begins to differ visibly. */
const MAX_SKEW_MS = 5_000;

export async function checkDatabase(config: Config, secrets: Secrets): Promise<Finding> {
  const check = "database";
  if (!config.database_url) {
    const file = path.join(config.data_dir, "postgres", "PG_VERSION");
    const version = await readFile(file, "utf8").catch(() => null);
    const message = version
      ? `embedded PostgreSQL ${version.trim()}`
      : "embedded PostgreSQL; it will be made at the first start";
    return { check, status: "ok", message };
  }
  try {
    const connection = { connectionString: config.database_url };
    const answer = await askPostgres(connection);
    const { version, now } = answer;
    const obstacle = obstacleIn(answer);
    if (obstacle) return { check, status: "problem", message: obstacle };
    const foreign = answer.installed && (await whyForeign(connection, config, secrets));
    if (foreign) return { check, status: "problem", message: foreign };
    const letters = otherLetters(answer);
    if (letters) return { check, status: "warning", message: `${letters} Then restore a backup into it.` };
    const few = tooFewPlaces(answer, config.connections);
    if (few) return { check, status: "warning", message: few };
    const skew_ms = Math.abs(Date.now() - now.getTime());
    if (skew_ms <= MAX_SKEW_MS) return { check, status: "ok", message: `PostgreSQL ${version}` };
    const seconds = Math.round(skew_ms / 1000);
    return {
      check,
      status: "warning",
      message: `its clock differs from this machine's by ${seconds} s, and counts. Run NTP on both.`,
    };
  } catch (error) {
    return { check, status: "problem", message: errorText(error) };
  }
}

/** Why a start would refuse this installation: its schema is newer, or it was made with another key. */
async function whyForeign(
  connection: Connection,
  { data_dir }: Config,
  secrets: Secrets,
): Promise<string | null> {
  const client = new pg.Client(withOwnSettings(connection));
  client.on("error", () => {});
  try {
    await client.connect();
    const unreadable = await whyUnreadable(client);
    if (unreadable) return unreadable;
    const { rows } = await client.query("select key_check from installation");
    if (!rows[0]) return null;
    const key = await presentKey(data_dir, secrets);
    if (key === null) return wrongKeyText(data_dir, secrets, "generated");
    if (opens(await vaultWith(key, data_dir, secrets), rows[0].key_check)) return null;
    const isFile = keyPlace(data_dir, secrets) === secretKeyFile(data_dir);
    return wrongKeyText(data_dir, secrets, isFile ? "file" : "environment");
  } finally {
    await client.end().catch(() => {});
  }
}
