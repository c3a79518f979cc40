import type { z } from "zod";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import type { Api } from "../api/server.ts";
import { Fault, invalid } from "../base/errors.ts";
import { ADDRESS_EXAMPLE, readAddress } from "./address-file.ts";
import { fitsChannel, lastWithdrawn, type NewConsent, recordConsent, revokeConsents } from "./consent.ts";
import { exportConsents, importConsents } from "./consent-file.ts";
import {
  Consent,
  ConsentCreateRequest,
  ConsentImport,
  consentList,
  selectConsents,
} from "./consent-record.ts";
import { type LedgerDeps, ledgerRoutes } from "./ledger-routes.ts";

/** The ledger of who agreed to be contacted for what. */
export function consentRoutes(api: Api, deps: LedgerDeps): void {
  const { db, clock } = deps;
  const path = "/api/v1/consents";
  const tag = "consents";

  api.get(
    `${path}/`,
    {
      summary: "List consents",
      description: `Newest first. Those that were revoked are left out unless \`revoked\` is searched. ${list.LONG}`,
      tag,
      permission: "outbound_read",
      query: list.listQuery(consentList),
      response: list.listOf(Consent),
    },
    async ({ caller, query }) => {
      const all = selectConsents(db, caller);
      const asked = query.search_fields.some((field) => field === "revoked" || field === "revoked_at");
      const rows = asked ? all : all.where("c.revoked_at", "is", null);
      return list.onlyFields(await list.listPage(db, rows, query, consentList), query.fields, Consent);
    },
  );

  api.post(
    `${path}/`,
    {
      summary: "Record a consent",
      description:
        "One that holds already stays as it is, with its first proof. Refused for a consent that the person withdrew at that time or later.",
      tag,
      permission: "outbound_write",
      body: ConsentCreateRequest,
      response: Consent,
    },
    ({ caller, body }) => {
      const now = clock.now();
      const consent = newConsent(body, now);
      return write(db, "Consent", async (tx) => {
        const { sub_organization_id, email: by } = caller;
        const withdrawn = await lastWithdrawn(tx, sub_organization_id, consent);
        if (withdrawn !== null)
          throw new Fault(
            "blocked",
            `${consent.address} withdrew this consent at ${withdrawn.toISOString()}. Record one that was given later.`,
          );
        const { id } = await recordConsent(tx, consent, { sub_organization_id, at: now, by });
        const after = await find(tx, caller, id);
        await api.audit(tx, caller, { action: "create", resource: tag, resource_id: id, after });
        return after;
      });
    },
  );

  const { find } = ledgerRoutes(api, deps, {
    path,
    tag,
    noun: "Consent",
    record: Consent,
    find: (from, caller, id) => selectConsents(from, caller).where("c.id", "=", id).executeTakeFirst(),
    download: {
      summary: "Download the consent ledger",
      description: "Every consent with its proof, revoked ones too.",
      lines: (sub_organization_id) => exportConsents(db, sub_organization_id),
    },
    upload: {
      summary: "Import consents",
      columns:
        "the columns `address`, `purpose`, `channel`, `given_through` and `valid_from` and, where wanted, `wording` and `evidence`, or with the columns of the download: its revoked consents come in as revoked",
      form_id: "ConsentFile",
      response: ConsentImport,
      store: importConsents,
      event: (imported) => ({
        category: "consent",
        type: "consents-imported",
        description: `${imported.file_name} added ${imported.added} consents`,
        attributes: imported,
      }),
    },
    end: {
      summary: "Revoke a consent",
      description:
        "From now on nobody is contacted on the strength of it; an attempt that was claimed and is not with its carrier yet is not made. The entry stays in the ledger with the reason and who revoked it.",
      action: "revoke",
      refusal: "This consent has been revoked already.",
      async store(tx, { sub_organization_id, email: by }, { id }, { at, reason: said }) {
        const revocation = { at, through: "operator", said, by } as const;
        return (await revokeConsents(tx, { sub_organization_id, id }, revocation)) > 0;
      },
    },
  });
}

function newConsent(
  { address, wording, evidence, valid_from, ...body }: z.output<typeof ConsentCreateRequest>,
  now: Date,
): NewConsent {
  const normalised = readAddress(address, null);
  if (normalised === null) throw invalid(["body", "address"], ADDRESS_EXAMPLE);
  if (!fitsChannel(normalised, body.channel))
    throw invalid(["body", "channel"], "A number is called or texted, an e-mail address is written to");
  const from = valid_from == null ? now : new Date(valid_from);
  if (from > now) throw invalid(["body", "valid_from"], "Input should not lie in the future");
  return {
    ...body,
    address: normalised,
    wording: wording ?? null,
    evidence: evidence ?? null,
    valid_from: from,
  };
}
