import { replaceEqualDeep } from "@tanstack/react-query";
import { useRef } from "react";

/** The value, of which all that says the same as before is the same object: what shows it is not drawn anew. */
export function useKept<T>(value: T): T {
  const kept = useRef(value);
  kept.current = replaceEqualDeep(kept.current, value);
  return kept.current;
}
