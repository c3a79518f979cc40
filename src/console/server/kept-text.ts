import { useRef, useState } from "react";
import { useMe } from "./me.tsx";

/**
 * A text that is being written and not sent: this tab keeps it over a reload, for the person who wrote it. It goes with the
 * tab, or once it is empty.
 */
export function useKeptText(name: string): [string, (change: string | ((text: string) => string)) => void] {
  const key = `parley.text.${useMe().user_id}.${name}`;
  const [text, setText] = useState(() => readText(key));
  // Two changes may come before the next drawing: the second begins with what the first made.
  const latest = useRef(text);
  return [
    text,
    (change) => {
      latest.current = typeof change === "string" ? change : change(latest.current);
      keepText(key, latest.current);
      setText(latest.current);
    },
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
