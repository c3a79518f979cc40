import { systemClock } from "../base/clock.ts";
import { Fault } from "../base/errors.ts";
import type { Config, Secrets } from "../config.ts";
import { openSealedTexts } from "../data-keys/data-keys.ts";
import { resealSecrets } from "../data-keys/reseal.ts";
import { isKeyOfInstallation } from "../db/installation.ts";
import { sealStored } from "../erasure/seal-stored.ts";
import { createBucket } from "../sessions/bucket/bucket.ts";
import { rotateRecordings } from "../sessions/recordings/rotate-recordings.ts";
import { openReadable } from "./archive/open-source.ts";
import { count } from "./archive/show-progress.ts";
import { refuseUnusablePostgres } from "./outside-postgres.ts";
import { presentKey, secretKeyFile, vaultWith } from "./secret-key.ts";
import { INTERRUPTED, stopSignal } from "./stop-signal.ts";

/**
 * Seals every secret with the present secret key; then gives each organization a new key and seals its recordings with it;
 * then seals requests, tests and contacts that an organization stored before it sealed. The program may run meanwhile.
 */
export async function rotateKeys(
  how: { resumed: boolean },
  config: Config,
  secrets: Secrets,
): Promise<number> {
  const stop = stopSignal();
  const secret = await presentKey(config.data_dir, secrets);
  if (!secret)
    throw new Fault(
      "unavailable",
      `There is no secret key: neither SECRET_KEY nor ${secretKeyFile(config.data_dir)}. The keys are sealed with it.`,
    );
  await using closing = new AsyncDisposableStack();
  if (config.database_url) await refuseUnusablePostgres({ connectionString: config.database_url });
  const database = await openReadable(config, closing, stop);
  const vault = await vaultWith(secret, config.data_dir, secrets);
  const { recordings_bucket } = secrets;
  const bucket = recordings_bucket
    ? createBucket(recordings_bucket, { clock: systemClock, allow: config.egress_allow })
    : null;
  closing.defer(async () => bucket?.close());
  openSealedTexts({ db: database.db, vault });
  const deps = { db: database.db, clock: systemClock, vault, dataDir: config.data_dir, bucket };
  if (!(await isKeyOfInstallation(database.pool, vault, systemClock)))
    throw new Fault(
      "unavailable",
      "The secrets of this database are sealed with another key. Set SECRET_KEY_OLD to it.",
    );
  const secretsDone = await resealAll(deps, stop);
  if (secretsDone !== 0) return secretsDone;
  const rotated = await rotateRecordings(deps, { ...how, stop }).catch((error) => {
    if (stop.aborted) return INTERRUPTED;
    throw error;
  });
  if (typeof rotated === "number") {
    process.stderr.write("parley: interrupted. ./parley rotate-keys --resume goes on.\n");
    return INTERRUPTED;
  }
  if (rotated === null) {
    process.stderr.write("parley: another rotation is running; wait for it.\n");
    return 1;
  }
  const { sealed, passed, missing, unreadable, keys_removed, is_away } = rotated;
  process.stdout.write(
    `${count(sealed, "recording")} sealed anew, ${passed} had the current key, ${missing} without a file; ${count(keys_removed, "old key")} removed.\n`,
  );
  if (is_away)
    process.stderr.write(
      "parley: no recording was found, so no key was removed. Run this where the data directory is, with its disk mounted.\n",
    );
  if (unreadable.length > 0) {
    const [shown, more] = [unreadable.slice(0, MOST_SHOWN).join(", "), unreadable.length - MOST_SHOWN];
    process.stderr.write(
      `parley: recordings that are damaged, or whose key is gone, were left as they are: ${shown}${more > 0 ? ` and ${more} more` : ""}. Bring them back from a backup, or delete their sessions.\n`,
    );
  }
  // Before the database is closed.
  const done = await sealEarlier(deps, stop);
  return done === 0 && unreadable.length > 0 ? 1 : done;
}

const MOST_SHOWN = 20;

/** What an organization stored before it sealed. */
async function sealEarlier(deps: Parameters<typeof sealStored>[0], stop: AbortSignal): Promise<number> {
  const done = await sealStored(deps, { stop }).catch((error) => {
    if (stop.aborted) return null;
    throw error;
  });
  if (done === null) {
    process.stderr.write("parley: interrupted. ./parley rotate-keys --resume goes on.\n");
    return INTERRUPTED;
  }
  const { sealed, left } = done;
  if (sealed > 0) process.stdout.write(`${sealed} requests, tests and contacts sealed.\n`);
  if (left === 0) return 0;
  process.stderr.write(
    `parley: ${left} requests, tests and contacts were in use and are not sealed yet. Run ./parley rotate-keys --resume.\n`,
  );
  return 1;
}

async function resealAll(deps: Parameters<typeof resealSecrets>[0], stop: AbortSignal): Promise<number> {
  let told = performance.now();
  const done = await resealSecrets(deps, { stop }, (column, count) => {
    if (performance.now() - told < TOLD_EVERY_MS) return;
    told = performance.now();
    process.stderr.write(`parley: ${column}: ${count} sealed anew so far\n`);
  }).catch((error) => {
    if (stop.aborted) return null;
    throw error;
  });
  if (done === null) {
    process.stderr.write("parley: interrupted. ./parley rotate-keys goes on.\n");
    return INTERRUPTED;
  }
  process.stdout.write(`${count(done.resealed, "secret")} sealed with the present secret key.\n`);
  if (done.unopened.length === 0) return 0;
  const where = done.unopened.map(({ column, count }) => `${column} (${count})`).join(", ");
  process.stderr.write(
    `parley: no known key opens some values: ${where}. Add their key to SECRET_KEY_OLD and run this again, or enter those secrets again.\n`,
  );
  return 1;
}

const TOLD_EVERY_MS = 2_000;
