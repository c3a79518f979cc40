import { readFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { opens } from "../../backup/dump.ts";
import { errorText } from "../../base/errors.ts";
import type { Config, Secrets } from "../../config.ts";
import type { Connection } from "../../db/database.ts";
import { whyUnreadable } from "../../db/migrate.ts";
import { withOwnSettings } from "../../db/own-settings.ts";
import { shippedPostgres } from "../../db/postgres-binaries.ts";
import { refuseForeignVersion } from "../../db/postgres-folder.ts";
import { alreadyRunning } from "../../db/postgres-ownership.ts";
import { joinRunningPostgres } from "../../db/running-postgres.ts";
import { runningVersion } from "../free-port.ts";
import { askPostgres, obstacleIn, otherLetters, tooFewPlaces } from "../outside-postgres.ts";
import { keyPlace, presentKey, secretKeyFile, vaultWith, wrongKeyText } from "../secret-key.ts";
import type { Finding } from "./finding.ts";

/** Past this, what other programs of this machine say of times begins to differ visibly. */
const MAX_SKEW_MS = 5_000;

export async function checkDatabase(config: Config, secrets: Secrets): Promise<Finding> {
  const check = "database";
  if (!config.database_url) return checkEmbedded(config);
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

/** The PostgreSQL of an embedded database; null where there is none yet. */
export const madeBy = (data_dir: string): Promise<string | null> =>
  readFile(path.join(data_dir, "postgres", "PG_VERSION"), "utf8").then(
    (version) => version.trim(),
    () => null,
  );

async function checkEmbedded(config: Config): Promise<Finding> {
  const check = "database";
  const version = await madeBy(config.data_dir);
  if (version === null)
    return { check, status: "ok", message: "embedded PostgreSQL; it will be made at the first start" };
  const folder = path.resolve(config.data_dir, "postgres");
  try {
    await refuseForeignVersion(folder, Number.parseInt((await shippedPostgres()).version, 10));
    // That of a Parley that answers at our address is the one that is meant.
    const isOurs = (await runningVersion(config)) !== null;
    const running = isOurs ? null : await joinRunningPostgres(folder).catch(() => null);
    running?.leave();
    if (running) throw alreadyRunning(folder);
    return { check, status: "ok", message: `embedded PostgreSQL ${version}` };
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
