import { Select } from "@mantine/core";
import { useEffect, useRef } from "react";
import { otherZone, zone, zones } from "./zone.ts";

/** The field in which the zone is chosen. */
export default function ZoneSelect({ chosen, onChosen }: { chosen: string; onChosen(): void }) {
  const field = useRef<HTMLInputElement>(null);
  // A frame later: until then the window around it looks who had the focus before.
  useEffect(() => {
    const frame = requestAnimationFrame(() => field.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <Select
      label="Show times in"
      description={`Hovering over a time shows ${otherZone(chosen)}, too.`}
      data={zones()}
      value={chosen}
      searchable
      ref={field}
      // What is typed takes the zone's place.
      onFocus={({ currentTarget }) => currentTarget.select()}
      limit={50}
      allowDeselect={false}
      comboboxProps={{ withinPortal: false }}
      onChange={(name) => {
        if (name) zone.set(name);
        onChosen();
      }}
    />
  );
}
