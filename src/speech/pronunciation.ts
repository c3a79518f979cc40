import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { file } from "../api/input/form.ts";
import { write } from "../api/resource.ts";
import { timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { sha256 } from "../base/crypto.ts";
import { type Db, json, type Tx } from "../db/database.ts";
import { PronunciationOverride, readPronunciations, writePronunciations } from "./pronunciation-file.ts";
import { VOICES } from "./voices.ts";

const DictionaryMetadata = z
  .object({
    entries: z.int(),
    hash: z.string().describe("Of the dictionary as CSV, byte for byte as it is downloaded."),
    source: z.string(),
  })
  .meta({ id: "DictionaryMetadata" });

export const PronunciationOverridesDictionary = z
  .object({
    type: z.string().regex(/^pronunciations_v\d+$/),
    pronunciations: z.array(PronunciationOverride),
    voices: z
      .record(
        z.string(),
        z.object({ display_name: z.string(), provider: z.string() }).meta({ id: "VoiceDisplayInfo" }),
      )
      .describe("The voices that overrides are limited to, by the id they use."),
    metadata: DictionaryMetadata,
  })
  .meta({ id: "PronunciationOverridesDictionary" });

const PronunciationsCsvUploadResponse = z
  .object({
    revision: z.int(),
    hash: z.string(),
    entries: z.int(),
    uploaded_at: timestamp(),
    uploaded_by: z.string(),
  })
  .meta({ id: "PronunciationsCsvUploadResponse" });

const MAX_FILE_bytes = 5 * 1024 * 1024;

export function pronunciationRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const path = "/api/v1/pronunciations";
  const tag = "pronunciations";
  const permission = "pronunciations_read";

  /** The whole dictionary anew; agents speak by it from their next turn on. */
  const store = (caller: Caller, action: "update" | "delete", overrides: PronunciationOverride[]) =>
    write(db, "Dictionary", async (tx) => {
      const before = await lockedSummary(tx, caller);
      const after = await replaceDictionary(tx, caller, clock.now(), overrides);
      await api.audit(tx, caller, { action, resource: tag, resource_id: null, before, after });
      return after;
    });

  api.get(
    path,
    {
      summary: "Get the pronunciations",
      tag,
      permission,
      response: PronunciationOverridesDictionary,
    },
    async ({ caller }): Promise<z.infer<typeof PronunciationOverridesDictionary>> => {
      const overrides = await findOverrides(db, caller);
      return {
        type: "pronunciations_v1",
        pronunciations: overrides,
        voices: voicesOf(overrides),
        metadata: { entries: overrides.length, hash: hashOf(overrides), source: "" },
      };
    },
  );

  api.get(
    `${path}/metadata`,
    { summary: "Get the size and hash of the pronunciations", tag, permission, response: DictionaryMetadata },
    async ({ caller }): Promise<z.infer<typeof DictionaryMetadata>> => {
      const overrides = await findOverrides(db, caller);
      return { entries: overrides.length, hash: hashOf(overrides), source: "" };
    },
  );

  api.get(
    `${path}/csv`,
    {
      summary: "Download the pronunciations",
      tag,
      permission,
      response: z.string().meta({ format: "binary" }),
      produces: "text/csv",
    },
    async ({ caller, reply }) => {
      const overrides = await findOverrides(db, caller);
      reply.type("text/csv; charset=utf-8");
      reply.header("content-disposition", 'attachment; filename="pronunciations.csv"');
      return writePronunciations(overrides);
    },
  );

  api.post(
    `${path}/csv`,
    {
      summary: "Replace the pronunciations",
      description:
        "A CSV file with a header; cells of `languages` and `match_options` hold entries separated by `|`. What is wrong is told at its row and column, the header being row 1, and then nothing is stored.",
      tag,
      permission: "pronunciations_write",
      form: { type: "multipart/form-data", max_file_bytes: MAX_FILE_bytes },
      body: z.object({ file: file() }).meta({ id: "Body_pronunciations_upload_csv" }),
      response: PronunciationsCsvUploadResponse,
      status: 202,
    },
    ({ caller, body }) => store(caller, "update", readPronunciations(body.file.bytes)),
  );

  api.delete(
    `${path}/csv`,
    { summary: "Delete the pronunciations", tag, permission: "pronunciations_delete", status: 204 },
    async ({ caller }) => {
      await store(caller, "delete", []);
    },
  );
}

const hashOf = (overrides: PronunciationOverride[]): string =>
  `sha256:${sha256(writePronunciations(overrides))}`;

/** The overrides of the caller's dictionary, in their order. */
export async function findOverrides(db: Db, caller: Caller): Promise<PronunciationOverride[]> {
  const found = await db
    .selectFrom("pronunciations")
    .select("overrides")
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .$castTo<{ overrides: PronunciationOverride[] }>()
    .executeTakeFirst();
  return found?.overrides ?? [];
}

type Summary = z.infer<typeof PronunciationsCsvUploadResponse>;

const SUMMARY = [
  "revision",
  "hash",
  sql<number>`json_array_length(pronunciations.overrides)`.as("entries"),
  "updated_at as uploaded_at",
  "last_updated_by as uploaded_by",
] as const;

/** What the audit trail says of a dictionary; all of it may be megabytes. */
const lockedSummary = (tx: Tx, caller: Caller): Promise<Summary | undefined> =>
  tx
    .selectFrom("pronunciations")
    .select(SUMMARY)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .forUpdate()
    .executeTakeFirst();

function replaceDictionary(
  tx: Tx,
  caller: Caller,
  now: Date,
  overrides: PronunciationOverride[],
): Promise<Summary> {
  const row = {
    overrides: json(overrides),
    hash: hashOf(overrides),
    updated_at: now.toISOString(),
    last_updated_by: caller.email,
  };
  return tx
    .insertInto("pronunciations")
    .values({ ...row, sub_organization_id: caller.sub_organization_id, revision: 1 })
    .onConflict((conflict) =>
      conflict
        .column("sub_organization_id")
        .doUpdateSet({ ...row, revision: sql<number>`pronunciations.revision + 1` }),
    )
    .returning(SUMMARY)
    .executeTakeFirstOrThrow();
}

/** Overrides name a voice by its variable name; what people call it is added here. */
function voicesOf(overrides: PronunciationOverride[]) {
  const named = new Set(overrides.map(({ voice }) => voice));
  return Object.fromEntries(
    VOICES.filter(({ var_name }) => named.has(var_name)).map(({ var_name, display_name, provider }) => [
      var_name,
      { display_name, provider },
    ]),
  );
}
