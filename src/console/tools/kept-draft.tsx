import { Alert, Button, Group, Text } from "@mantine/core";
import { IconRestore } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { type MergeInside, mergeChanges } from "../changes/merge.ts";
import { useMe } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

/** What was typed and not saved, and what it began with. */
type Draft<Values> = { at: string; began: Values; typed: Values };

const TYPING_ms = 500;

/**
 * Keeps what is typed in the browser, so that a closed window or a lost sign-in loses nothing. What is found when the page
 * opens is offered; what others saved since is merged with it, field by field.
 */
export function KeptDraft<Values extends object>(props: {
  /** Which record it is of. */
  of: string;
  initial: Values;
  values: Values;
  isDirty: boolean;
  inside: MergeInside;
  onRestore(values: Values): void;
}) {
  const { of, initial, values, isDirty, inside, onRestore } = props;
  const key = `parley.draft.${useMe().email}.${of}`;
  const [found, setFound] = useState<Draft<Values> | null>(() => readDraft(key));
  const typed = useRef({ initial, values });
  typed.current = { initial, values };
  const text = isDirty ? JSON.stringify(values) : null;

  useEffect(() => {
    // Until the person has decided, the earlier draft stays.
    if (found) return;
    // At once: who discards and leaves is not offered it again.
    if (text === null) return writeDraft(key, null);
    const timer = setTimeout(() => {
      writeDraft(key, {
        at: new Date().toISOString(),
        began: typed.current.initial,
        typed: typed.current.values,
      });
    }, TYPING_ms);
    return () => clearTimeout(timer);
  }, [key, text, found]);

  const decide = (restored: boolean) => {
    if (found && restored) onRestore(mergeChanges(found.began, found.typed, initial, [], inside));
    writeDraft(key, null);
    setFound(null);
  };
  if (!found) return null;
  return (
    <Alert color="ink" icon={<IconRestore />} mb="sm" title="Unsaved changes">
      <Group gap="xs">
        <Text size="sm">
          You changed this tool <Time at={found.at} distance /> and didn't save it.
        </Text>
        <Button size="compact-sm" onClick={() => decide(true)}>
          Restore my changes
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => decide(false)}>
          Discard them
        </Button>
      </Group>
    </Alert>
  );
}

/** Storage may be disabled, full, or hold what another version wrote. */
function readDraft<Values>(key: string): Draft<Values> | null {
  try {
    const draft = JSON.parse(localStorage.getItem(key) ?? "null") as Draft<Values> | null;
    return draft?.typed && draft.began ? draft : null;
  } catch {
    return null;
  }
}

function writeDraft(key: string, draft: Draft<unknown> | null): void {
  try {
    if (draft === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Without storage the form itself still holds what was typed.
  }
}
