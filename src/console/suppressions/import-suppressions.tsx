import { counted } from "../parts/counted.ts";
import { call } from "../server/api.ts";
import { ImportList } from "./import-list.tsx";
import { SUPPRESSIONS } from "./suppression-words.ts";

/** Imports a do-not-call list kept elsewhere. */
export const ImportSuppressions = ({ onClose }: { onClose(): void }) => (
  <ImportList
    title="Import a do-not-call list"
    about="Column address; optional: scope, reason, occurred_at, comment. Or a file of Export CSV."
    send={(form, calling_code) => call("POST /api/v1/suppressions/csv", { form, query: { calling_code } })}
    told={({ added, lifted, known }) => ({
      title: `${counted(added, "address was", "addresses were")} added`,
      more: [
        lifted > 0 && `${counted(lifted, "was", "were")} lifted where the file comes from, and stay lifted.`,
        known > 0 && `${counted(known, "was", "were")} on the list already.`,
      ]
        .filter(Boolean)
        .join(" "),
    })}
    list={SUPPRESSIONS}
    onClose={onClose}
  />
);
