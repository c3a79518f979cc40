import { useDebouncedValue } from "@mantine/hooks";
import { useMemo } from "react";

/**
 * What a form holds, as JSON, once it has stood still for `wait_ms`. It is compared by what it says: a form makes new
 * objects each time it is drawn, and each would begin the wait, and the drawing, once more.
 */
export function useSettled<T extends object>(value: T, wait_ms: number): T {
  const [text] = useDebouncedValue(JSON.stringify(value), wait_ms);
  return useMemo(() => JSON.parse(text) as T, [text]);
}
