import { Button, Popover, Select } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconClock } from "@tabler/icons-react";
import { otherZone, useZone, zone, zones } from "./zone.ts";

/** Chooses the zone in which the console shows times. */
export function ZoneChooser() {
  const chosen = useZone();
  const [opened, { toggle, close }] = useDisclosure(false);
  return (
    <Popover opened={opened} onChange={close} position="bottom-end" withArrow width={280}>
      <Popover.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<IconClock size={15} />}
          aria-label={`Times are shown in ${chosen}`}
          onClick={toggle}
        >
          {chosen.split("/").at(-1)?.replaceAll("_", " ")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Select
          label="Show times in"
          description={`Hovering over a time shows ${otherZone(chosen)}, too.`}
          data={opened ? zones() : []}
          value={chosen}
          searchable
          limit={50}
          allowDeselect={false}
          comboboxProps={{ withinPortal: false }}
          onChange={(name) => {
            if (name) zone.set(name);
            close();
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}
