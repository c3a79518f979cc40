import { createContext, useContext, useEffect } from "react";

/** Counts the editors below whose text is not valid JSON, so that a button can refuse to send. */
export const Unreadable = createContext<(change: (count: number) => number) => void>(() => {});

/** Reports to the surrounding form while a text is invalid. */
export function useUnreadable(isUnreadable: boolean): void {
  const tell = useContext(Unreadable);
  useEffect(() => {
    if (!isUnreadable) return;
    tell((count) => count + 1);
    return () => tell((count) => count - 1);
  }, [isUnreadable, tell]);
}
