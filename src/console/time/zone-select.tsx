import { Select } from "@mantine/core";
import { otherZone, zone, zones } from "./zone.ts";

/** The field in which the zone is chosen. */
export default function ZoneSelect({ chosen, onChosen }: { chosen: string; onChosen(): void }) {
  return (
    <Select
      label="Show times in"
      description={`Hovering over a time shows ${otherZone(chosen)}, too.`}
      data={zones()}
      value={chosen}
      searchable
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
