import { createContext, useContext, useEffect } from "react";

/** Counts the editors below whose text is not valid JSON, so that a button can refuse to send. */
export const Unreadable = createContext<(change: (count: number) => number) => void>(() => {});

/** Tells the form around it while a text can't be read. */
export function useUnreadable(isUnreadable: boolean): void {
  const tell = useContext(Unreadable);
  useEffect(() => {
    if (!isUnreadable) return;
    tell((count) => count + 1);
    return () => tell((count) => count - 1);
  }, [isUnreadable, tell]);
}
