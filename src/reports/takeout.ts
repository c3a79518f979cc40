import path from "node:path";
import { z } from "zod";
import type { Storage } from "../accounts/storage.ts";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { Fault, notFound } from "../base/errors.ts";
import { randomId } from "../base/ids.ts";
import { findDataKey } from "../data-keys/data-keys.ts";
import { fileElsewhere, openSealed } from "../data-keys/sealed-file.ts";
import { type Db, isUniqueViolation, type Tx } from "../db/database.ts";
import { enqueue } from "../jobs/define-job.ts";
import { giveUpLost, makeTakeout, takeoutFolder } from "./make-takeout.ts";

/** An export of everything a sub-organization has, made by a job, kept for a week. */
const RETENTION_MS = 7 * 86_400_000;

const CreateTakeoutResponse = z
  .object({ job_id: z.string(), created_at: timestamp() })
  .meta({ id: "CreateTakeoutResponse" });

const missingRecordings = () =>
  z
    .int()
    .nullish()
    .describe(
      "Recordings that are not in it, because their files were not on the machine that made it. manifest.json of its first recordings archive names them.",
    );

const TakeoutStatusResponse = z
  .object({
    job_id: z.string(),
    status: z.enum(["pending", "in_progress", "completed", "failed", "canceled"]),
    updated_at: timestamp(),
    file_names: z.array(z.string()).nullish(),
    missing_recordings: missingRecordings(),
  })
  .meta({ id: "TakeoutStatusResponse" });

const Takeout = z
  .object({
    job_id: z.string(),
    status: TakeoutStatusResponse.shape.status,
    created_at: timestamp(),
    created_by: z.string(),
    updated_at: timestamp(),
    expires_at: timestamp().describe("Until then its files can be downloaded."),
    file_names: z.array(z.string()).nullish(),
    missing_recordings: missingRecordings(),
    error: z.string().nullish().describe("Why it failed."),
  })
  .meta({ id: "Takeout" });

const takeoutList: list.ListRules = {
  fields: {
    job_id: list.exact("t.id"),
    status: list.exact("t.status"),
    created_at: list.time("t.created_at"),
    created_by: list.text("t.created_by"),
  },
  time: "t.created_at",
  order: [
    { column: "t.created_at", direction: "desc" },
    { column: "t.id", direction: "desc" },
  ],
};

/** Those of the caller's sub-organization whose files can be fetched, or will be. */
const selectTakeouts = (db: Db, { sub_organization_id }: Caller, now: Date) =>
  db
    .selectFrom("takeouts as t")
    .where("t.sub_organization_id", "=", sub_organization_id)
    .where("t.expires_at", ">", now.toISOString());

export function takeoutRoutes(
  api: Api,
  {
    db,
    clock,
    vault,
    dataDir,
    storage,
  }: { db: Db; clock: Clock; vault: Vault; dataDir: string; storage: Storage },
): void {
  const prefix = "/api/v1/takeouts";
  const tag = "takeouts";
  const permission = "takeouts_create";

  const find = async (caller: Caller, job_id: string) => {
    const found = await selectTakeouts(db, caller, clock.now())
      .select(["t.id as job_id", "t.status", "t.updated_at", "t.file_names", "t.missing_recordings"])
      .where("t.id", "=", job_id)
      .executeTakeFirst();
    if (!found) throw notFound("Takeout", job_id);
    return found;
  };

  api.get(
    `${prefix}/`,
    {
      summary: "List exports",
      description: "Those of the last seven days, the newest first.",
      tag,
      permission,
      query: list.listQuery(takeoutList),
      response: list.listOf(Takeout),
    },
    async ({ caller, query }) => {
      const rows = selectTakeouts(db, caller, clock.now()).select([
        "t.id as job_id",
        "t.status",
        "t.created_at",
        "t.created_by",
        "t.updated_at",
        "t.expires_at",
        "t.file_names",
        "t.missing_recordings",
        "t.error",
      ]);
      return list.onlyFields(await list.listPage(db, rows, query, takeoutList), query.fields, Takeout);
    },
  );

  api.post(
    `${prefix}/create`,
    {
      summary: "Export everything",
      description:
        "Starts a job that writes ZIP archives of JSON Lines files, which can be downloaded for seven days. One runs at a time.",
      tag,
      permission,
      response: CreateTakeoutResponse,
    },
    ({ caller }) =>
      oneAtATime(db, async (tx) => {
        await giveUpLost(tx, clock, caller.sub_organization_id);
        // How large it will be nobody knows before it is made.
        await storage.admit(tx, caller.sub_organization_id, 1);
        const now = clock.now();
        const takeout = await tx
          .insertInto("takeouts")
          .values({
            id: randomId(),
            sub_organization_id: caller.sub_organization_id,
            status: "pending",
            created_at: now.toISOString(),
            created_by: caller.email,
            updated_at: now.toISOString(),
            expires_at: new Date(now.getTime() + RETENTION_MS).toISOString(),
          })
          .returning(["id as job_id", "created_at"])
          .executeTakeFirstOrThrow();
        await enqueue(
          tx,
          makeTakeout,
          { takeout_id: takeout.job_id },
          { tenant: caller.sub_organization_id },
        );
        const resource_id = takeout.job_id;
        await api.audit(tx, caller, { action: "create", resource: tag, resource_id, after: takeout });
        return takeout;
      }),
  );

  api.get(
    `${prefix}/get/:job_id`,
    {
      summary: "Get an export's progress and files",
      tag,
      permission,
      params: z.object({ job_id: z.string() }),
      response: TakeoutStatusResponse,
    },
    ({ caller, params }) => find(caller, params.job_id),
  );

  api.get(
    `${prefix}/get/:job_id/file/:file_name`,
    {
      summary: "Download a file of an export",
      tag,
      permission,
      opens: { resource: "takeouts", by: "job_id" },
      params: z.object({ job_id: z.string(), file_name: z.string() }),
      response: z.string().meta({ format: "binary" }),
      produces: "application/zip",
    },
    async ({ caller, params, reply }) => {
      const { job_id, file_names } = await find(caller, params.job_id);
      // Only a name that the job wrote down leads to a file.
      const name = file_names?.find((each) => each === params.file_name);
      if (!name) throw notFound("File", params.file_name);
      const file = path.join(takeoutFolder(dataDir, job_id), name);
      const archive = await openSealed(file, findDataKey({ db, vault }));
      if (!archive) throw fileElsewhere();
      return reply
        .type("application/zip")
        .header("content-length", archive.size)
        .header("content-disposition", `attachment; filename="${name}"`)
        .header("cache-control", "private, no-store")
        .send(archive.stream());
    },
  );
}

async function oneAtATime<T>(db: Db, create: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await db.transaction().execute(create);
  } catch (error) {
    if (isUniqueViolation(error, "takeouts_running")) {
      throw new Fault(
        "conflict",
        "An export is running already. Fetch it when it is done, or try again then.",
      );
    }
    throw error;
  }
}
