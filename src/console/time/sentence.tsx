import { useInZone } from "./in-zone.ts";

/** A sentence of the program, its times in the chosen zone. `isNow`: it is of this moment, and a time without a day of today. */
export function Sentence({ text, isNow = false }: { text: string | null | undefined; isNow?: boolean }) {
  const inZone = useInZone(isNow ? new Date() : undefined);
  return text ? inZone(text) : null;
}
