import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { inputTimestamp, timestamp } from "../api/schema.ts";
import { addressField } from "../channels/address-field.ts";
import type { Db } from "../db/database.ts";
import { CONSENT_CHANNELS, CONSENT_PATHS, CONSENT_PURPOSES } from "./consent.ts";
import { ConsentEvidence, MAX_WORDING } from "./consent-file.ts";

/** Entries of the consent ledger as they are shown, and how they are searched. */
export const Consent = z
  .object({
    id: z.int(),
    address: z.string(),
    purpose: z.enum(CONSENT_PURPOSES),
    channel: z.enum(CONSENT_CHANNELS).describe("`text` is SMS and WhatsApp."),
    given_through: z.enum(CONSENT_PATHS),
    wording: z.string().nullable(),
    evidence: z.record(z.string(), z.string()).nullable(),
    valid_from: timestamp(),
    created_at: timestamp(),
    created_by: z.string(),
    revoked_at: timestamp().nullable(),
    revoked_through: z.string().nullable(),
    revoked_said: z.string().nullable(),
    revoked_by: z.string().nullable(),
  })
  .meta({ id: "Consent" });
export type Consent = z.infer<typeof Consent>;

export const ConsentCreateRequest = z
  .object({
    address: z.string().min(1).max(320).describe("A telephone number in E.164 format, or an e-mail address."),
    purpose: z.enum(CONSENT_PURPOSES).default("marketing"),
    channel: z.enum(CONSENT_CHANNELS),
    given_through: z.enum(CONSENT_PATHS),
    wording: z.string().max(MAX_WORDING).nullish().describe("What the person agreed to, word for word."),
    evidence: ConsentEvidence.nullish().describe(
      "What proves it, such as a session, the address of the form, the IP address.",
    ),
    valid_from: inputTimestamp()
      .nullish()
      .describe("When it was given; now when left out. Never in the future."),
  })
  .meta({ id: "ConsentCreateRequest" });

export const ConsentImport = z
  .object({
    added: z.int(),
    known: z.int().describe("Were in the ledger already, or stood twice in the file."),
    withdrawn: z.int().describe("Left out, because the person withdrew it at that time or later."),
    revoked: z.int().describe("Stored as revoked, as an export tells them."),
  })
  .meta({ id: "ConsentImport" });

export const consentList: list.ListRules = {
  fields: {
    id: list.integer("c.id"),
    address: addressField(list.exact("c.address")),
    purpose: list.read(list.exact("c.purpose")),
    channel: list.read(list.exact("c.channel")),
    given_through: list.read(list.exact("c.given_through")),
    wording: list.read(list.text("c.wording")),
    valid_from: list.read(list.time("c.valid_from")),
    created_at: list.time("c.created_at"),
    created_by: list.read(list.text("c.created_by")),
    revoked_at: list.read(list.time("c.revoked_at")),
    revoked: list.read(list.boolean("c.revoked")),
  },
  time: "c.created_at",
  order: [
    { column: "c.created_at", direction: "desc" },
    { column: "c.id", direction: "desc" },
  ],
  countUpTo: 10_000,
  isLong: true,
};

export const selectConsents = (db: Db, caller: Caller) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom("consents")
        .selectAll()
        .select((row) => row("revoked_at", "is not", null).as("revoked"))
        .as("c"),
    )
    .where("c.sub_organization_id", "=", caller.sub_organization_id)
    .select([
      "c.id",
      "c.address",
      "c.purpose",
      "c.channel",
      "c.given_through",
      "c.wording",
      "c.evidence",
      "c.valid_from",
      "c.created_at",
      "c.created_by",
      "c.revoked_at",
      "c.revoked_through",
      "c.revoked_said",
      "c.revoked_by",
    ])
    .$castTo<Consent>();
