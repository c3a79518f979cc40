import { Button, Popover, Skeleton, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconClock } from "@tabler/icons-react";
import { lazy, Suspense } from "react";
import { useZone } from "./zone.ts";

const ZoneSelect = lazy(() => import("./zone-select.tsx").catch(() => ({ default: () => <></> })));

/** Chooses the zone in which the console shows times. */
export function ZoneChooser() {
  const chosen = useZone();
  const [opened, { toggle, close }] = useDisclosure(false);
  return (
    <Popover
      opened={opened}
      onChange={close}
      position="bottom-end"
      withArrow
      width={280}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<IconClock size={15} />}
          aria-label={`Times are shown in ${chosen}`}
          onClick={toggle}
        >
          <Text span inherit truncate maw="9rem" visibleFrom="xs">
            {chosen.split("/").at(-1)?.replaceAll("_", " ")}
          </Text>
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        {opened && (
          <Suspense fallback={<Skeleton h={76} />}>
            <ZoneSelect chosen={chosen} onChosen={close} />
          </Suspense>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
