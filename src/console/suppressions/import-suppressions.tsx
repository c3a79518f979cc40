import { call } from "../server/api.ts";
import { ImportList } from "./import-list.tsx";
import { SUPPRESSIONS } from "./suppression-words.ts";

/** Imports a do-not-call list kept elsewhere. */
export const ImportSuppressions = ({ onClose }: { onClose(): void }) => (
  <ImportList
    title="Import a do-not-call list"
    about="Column address; optional: scope, reason, occurred_at, comment."
    send={(form, calling_code) => call("POST /api/v1/suppressions/csv", { form, query: { calling_code } })}
    told={({ added, known }) => ({
      title: `${added.toLocaleString("en")} addresses were added`,
      more: known > 0 && `${known.toLocaleString("en")} were on the list already.`,
    })}
    list={SUPPRESSIONS}
    onClose={onClose}
  />
);
