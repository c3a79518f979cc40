import type { Suppression } from "../api-types.ts";
import { call } from "../server/api.ts";
import { EndButton } from "./end-button.tsx";
import { SUPPRESSIONS } from "./suppression-words.ts";

/** Removes an address from the suppression list; the reason stays with the entry. */
export const LiftSuppression = ({ suppression: { id, address } }: { suppression: Suppression }) => (
  <EndButton
    verb="Lift"
    label={`Lift the suppression of ${address}`}
    question="Lift this suppression?"
    example="For example, how they asked for it."
    act={(reason) => call("DELETE /api/v1/suppressions/{id}", { path: { id }, query: { reason } })}
    done={`${address} may be contacted again`}
    list={SUPPRESSIONS}
  >
    <b>
      <bdi>{address}</bdi>
    </b>{" "}
    may be contacted again. The entry stays in the exported ledger, with your name and reason.
  </EndButton>
);
