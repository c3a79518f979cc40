import { useMemo, useState } from "react";
import type { BreakpointKind, Breakpoints } from "./step-box.tsx";

/** Where a conversation is to stop: before steps, at conditions under which steps are left, before tools. */
export function useBreakpoints(): Breakpoints & {
  set(kind: BreakpointKind, names: readonly string[]): void;
} {
  const [places, setPlaces] = useState<Record<BreakpointKind, readonly string[]>>({
    steps: [],
    guards: [],
    tools: [],
  });
  return useMemo(
    () => ({
      ...places,
      set: (kind, names) => setPlaces((before) => ({ ...before, [kind]: names })),
      toggle: (kind, name) =>
        setPlaces((before) => ({
          ...before,
          [kind]: before[kind].includes(name)
            ? before[kind].filter((each) => each !== name)
            : [...before[kind], name],
        })),
    }),
    [places],
  );
}
