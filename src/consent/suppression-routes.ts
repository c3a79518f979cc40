import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import type { Api } from "../api/server.ts";
import { invalid } from "../base/errors.ts";
import { publish } from "../events/event.ts";
import { ADDRESS_EXAMPLE, readAddress } from "./address-file.ts";
import { type LedgerDeps, ledgerRoutes } from "./ledger-routes.ts";
import { liftedEvent, type Proof, suppress } from "./suppression.ts";
import { exportSuppressions, importSuppressions } from "./suppression-file.ts";
import {
  Suppression,
  SuppressionCreateRequest,
  SuppressionImport,
  selectSuppressions,
  suppressionList,
} from "./suppression-record.ts";

export function suppressionRoutes(api: Api, deps: LedgerDeps): void {
  const { db, clock } = deps;
  const path = "/api/v1/suppressions";
  const tag = "suppressions";

  api.get(
    `${path}/`,
    {
      summary: "List suppressed addresses",
      description: `Newest first. Those that were lifted are left out unless \`lifted\` is searched. ${list.LONG}`,
      tag,
      permission: "outbound_read",
      query: list.listQuery(suppressionList),
      response: list.listOf(Suppression),
    },
    async ({ caller, query }) => {
      const all = selectSuppressions(db, caller);
      const asked = query.search_fields.some((field) => field === "lifted" || field === "lifted_at");
      const rows = asked ? all : all.where("s.lifted_at", "is", null);
      return list.onlyFields(
        await list.listPage(db, rows, query, suppressionList),
        query.fields,
        Suppression,
      );
    },
  );

  api.post(
    `${path}/`,
    {
      summary: "Suppress an address",
      description:
        "It is not called, texted or e-mailed from now on. An address already on the list stays as it is.",
      tag,
      permission: "outbound_write",
      body: SuppressionCreateRequest,
      response: Suppression,
    },
    ({ caller, body }) =>
      write(db, "Suppression", async (tx) => {
        const address = readAddress(body.address, null);
        if (address === null) throw invalid(["body", "address"], ADDRESS_EXAMPLE);
        const now = clock.now();
        const { scope, reason, comment = null } = body;
        const { sub_organization_id, email: created_by } = caller;
        const proof = operatorProof(now, comment);
        await suppress(
          tx,
          [{ sub_organization_id, address, scope, reason, proof, comment, created_by }],
          now,
        );
        const after = await selectSuppressions(tx, caller)
          .where("s.address", "=", address)
          .where("s.scope", "=", scope)
          .where("s.reason", "=", reason)
          .where("s.lifted_at", "is", null)
          .executeTakeFirstOrThrow();
        await api.audit(tx, caller, { action: "create", resource: tag, resource_id: after.id, after });
        return after;
      }),
  );

  ledgerRoutes(api, deps, {
    path,
    tag,
    noun: "Suppression",
    record: Suppression,
    find: (from, caller, id) => selectSuppressions(from, caller).where("s.id", "=", id).executeTakeFirst(),
    download: {
      summary: "Download the suppression ledger",
      description: "Every entry with its proof, lifted ones too.",
      lines: (sub_organization_id) => exportSuppressions(db, sub_organization_id),
    },
    upload: {
      summary: "Import a do-not-call list",
      columns:
        "the column `address` and, where wanted, `scope`, `reason`, `occurred_at` and `comment`, or with the columns of the download: its lifted entries come in as lifted",
      form_id: "SuppressionFile",
      response: SuppressionImport,
      store: importSuppressions,
      event: (imported) => ({
        category: "suppression",
        type: "list-imported",
        description: `${imported.file_name} put ${imported.added} addresses on the suppression list`,
        attributes: imported,
      }),
    },
    end: {
      summary: "Lift a suppression",
      description:
        "The address may be reached again. The entry stays in the ledger with the reason and who lifted it.",
      action: "lift",
      refusal: "This suppression has been lifted already.",
      async store(tx, caller, { id, address }, { at, reason }) {
        const { numUpdatedRows } = await tx
          .updateTable("suppressions")
          .set({
            lifted_at: at.toISOString(),
            lifted_through: "operator",
            lifted_said: reason,
            lifted_by: caller.email,
          })
          .where("id", "=", id)
          .where("lifted_at", "is", null)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await publish(tx, caller.sub_organization_id, [liftedEvent(address, operatorProof(at, reason), at)]);
        return true;
      },
    },
  });
}

const operatorProof = (at: Date, said: string | null): Proof => ({
  at,
  through: "operator",
  said,
  session_id: null,
  message_id: null,
});
