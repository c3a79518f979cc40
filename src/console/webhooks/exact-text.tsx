import classes from "../outbound/outbound.module.css";
import { counted } from "../parts/counted.ts";
import { Scroller } from "../parts/parts.tsx";

/** A text shown byte for byte, without reformatting. */
export function ExactText({ text, label }: { text: string; label: string }) {
  return (
    <Scroller className={classes.exact} label={label}>
      <pre dir="ltr">{text}</pre>
    </Scroller>
  );
}

export const headerLines = (headers: Record<string, string> | null | undefined): string =>
  Object.entries(headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

export const bytesOf = (text: string): string => counted(new TextEncoder().encode(text).length, "byte");
