import { useState } from "react";
import { useMe } from "./me.tsx";

/**
 * A text that is being written and not sent: this tab keeps it over a reload, for the person who wrote it. It goes with the
 * tab, or once it is empty.
 */
export function useKeptText(name: string): [string, (change: string | ((text: string) => string)) => void] {
  const key = `parley.text.${useMe().user_id}.${name}`;
  const [text, setText] = useState(() => readText(key));
  return [
    text,
    (change) =>
      setText((now) => {
        const next = typeof change === "string" ? change : change(now);
        keepText(key, next);
        return next;
      }),
  ];
}

function readText(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

function keepText(key: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // Without storage the field itself still holds what was typed.
  }
}
