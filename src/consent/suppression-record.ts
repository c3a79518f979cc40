import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { timestamp } from "../api/schema.ts";
import { addressField } from "../channels/address-field.ts";
import type { Db } from "../db/database.ts";
import { OPT_OUT_PATHS } from "./consent.ts";
import { SUPPRESSION_REASONS, SUPPRESSION_SCOPES } from "./suppression.ts";

/** Entries of the suppression list as they are shown, and how they are searched. */
export const Suppression = z
  .object({
    id: z.int(),
    kind: z.enum(["phone", "email"]),
    address: z.string(),
    scope: z
      .enum(SUPPRESSION_SCOPES)
      .describe("The channel that is blocked; `all`: every channel of the address."),
    reason: z.enum(SUPPRESSION_REASONS),
    occurred_at: timestamp(),
    through: z.enum(OPT_OUT_PATHS),
    said: z
      .string()
      .nullish()
      .describe("The person's own words, a header, a carrier's word, or the imported file."),
    session_id: z.string().nullish(),
    message_id: z.string().nullish(),
    comment: z.string().nullish(),
    created_at: timestamp(),
    created_by: z.string().nullish(),
    lifted_at: timestamp().nullish(),
    lifted_through: z.string().nullish(),
    lifted_said: z.string().nullish(),
    lifted_by: z.string().nullish(),
  })
  .meta({ id: "Suppression" });
export type Suppression = z.infer<typeof Suppression>;

export const SuppressionCreateRequest = z
  .object({
    address: z.string().min(1).max(320).describe("A telephone number in E.164 format, or an e-mail address."),
    scope: z.enum(SUPPRESSION_SCOPES).default("all"),
    reason: z.enum(SUPPRESSION_REASONS).default("do-not-call"),
    comment: z.string().max(1000).nullish(),
  })
  .meta({ id: "SuppressionCreateRequest" });

export const SuppressionImport = z
  .object({
    added: z.int(),
    lifted: z.int().describe("Stored as lifted, as an export tells them."),
    known: z.int().describe("Were on the list already, or twice in the file."),
  })
  .meta({ id: "SuppressionImport" });

export const suppressionList: list.ListRules = {
  fields: {
    id: list.integer("s.id"),
    kind: list.read(list.exact("s.kind")),
    // Index: suppressions_address.
    address: addressField(list.byTrigrams(list.text("s.address"))),
    address_exact: list.exact("s.address"),
    scope: list.read(list.exact("s.scope")),
    reason: list.read(list.exact("s.reason")),
    through: list.read(list.exact("s.through")),
    said: list.read(list.text("s.said")),
    session_id: list.integer("s.session_id"),
    comment: list.read(list.text("s.comment")),
    occurred_at: list.read(list.time("s.occurred_at")),
    created_at: list.time("s.created_at"),
    created_by: list.read(list.text("s.created_by")),
    lifted_at: list.read(list.time("s.lifted_at")),
    lifted: list.read(list.boolean("s.lifted")),
  },
  time: "s.created_at",
  order: [
    { column: "s.created_at", direction: "desc" },
    { column: "s.id", direction: "desc" },
  ],
  countUpTo: 10_000,
  isLong: true,
};

export const selectSuppressions = (db: Db, caller: Caller) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom("suppressions")
        .selectAll()
        .select((row) => row("lifted_at", "is not", null).as("lifted"))
        .as("s"),
    )
    .where("s.sub_organization_id", "=", caller.sub_organization_id)
    .select((row) => [
      "s.id",
      "s.kind",
      "s.address",
      "s.scope",
      "s.reason",
      "s.occurred_at",
      "s.through",
      "s.said",
      row.cast<string | null>("s.session_id", "text").as("session_id"),
      "s.message_id",
      "s.comment",
      "s.created_at",
      "s.created_by",
      "s.lifted_at",
      "s.lifted_through",
      "s.lifted_said",
      "s.lifted_by",
    ])
    .$castTo<Suppression>();
