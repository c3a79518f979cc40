import type { UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import { differences } from "../changes/differences.ts";
import { mergeChanges, type Together } from "../changes/merge.ts";
import { theirChange } from "../changes/their-change.ts";
import { useAction } from "../parts/action.ts";
import type { FieldLabels } from "../server/field-labels.ts";

/** What a window changes that was there before. */
export type Changed<Values extends object, Stored extends object> = {
  /** Reads it as it is now. */
  reread(): Promise<Stored>;
  values(stored: Stored): Values;
  /** How the form calls its fields. */
  labels: FieldLabels;
  /** Groups of fields that are merged as one. */
  together?: Together;
};

/**
 * Reads again what a form changes before it is sent. Where somebody else saved meanwhile it is not sent: their change is
 * shown, and is merged or overwritten.
 */
export function useMeanwhile<Values extends object, Stored extends object>(
  form: UseFormReturnType<Values>,
  changed: Changed<Values, Stored> | undefined,
  send: () => void,
) {
  const [found, setFound] = useState<Stored | null>(null);
  const [isAgreed, agree] = useState(false);
  const began = form.getInitialValues();
  const looking = useAction({
    mutationFn: async () => changed?.reread(),
    onSuccess(stored) {
      const seen = changed && found && isAgreed ? changed.values(found) : began;
      if (!changed || !stored || differences(seen, changed.values(stored)).length === 0) return send();
      setFound(stored);
      // The agreement covers what was shown.
      agree(false);
    },
  });

  const theirsOf = ({ values, labels, together }: Changed<Values, Stored>, stored: Stored) => {
    const now = values(stored);
    const mine = form.getValues();
    return {
      theirs: theirChange(stored, { began, mine, now }, together),
      labels,
      isAgreed,
      agree,
      merge() {
        form.setInitialValues(now);
        form.setValues(mergeChanges(began, mine, now, together));
        form.resetDirty(now);
        setFound(null);
      },
    };
  };
  return {
    isPending: looking.isPending,
    error: looking.error,
    submit: () => looking.mutate(),
    /** For `<TheirChange>`. */
    their: changed && found ? theirsOf(changed, found) : null,
  };
}
