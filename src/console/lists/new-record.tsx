import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { LinkButton } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";

/** How a new record of a list begins: on a page of its own, or in a window. */
export type NewRecord = { permission: string; label: string } & (
  | { to: string }
  | { window(close: () => void): ReactNode }
);

/** The button that begins a new record, for those who may, and the window that it opens. */
export function useNewRecord(create: NewRecord | null): { button: ReactNode; window: ReactNode } {
  const may = useMay();
  const [opened, { open, close }] = useDisclosure(false);
  if (create === null || !may(create.permission)) return { button: null, window: null };
  const sign = <IconPlus size={15} />;
  if ("to" in create) {
    const button = (
      <LinkButton to={create.to} leftSection={sign}>
        {create.label}
      </LinkButton>
    );
    return { button, window: null };
  }
  const button = (
    <Button leftSection={sign} onClick={open}>
      {create.label}
    </Button>
  );
  return { button, window: opened && create.window(close) };
}
