import { Modal, type ModalProps } from "@mantine/core";
import { useEffect, useState } from "react";

/**
 * A window over the page. Whatever had the focus before has it again afterwards: Mantine sees to that only where a window is
 * there closed before it opens, and most are drawn only while they are open.
 */
export function PageWindow(props: ModalProps) {
  const [before] = useState(() => (props.opened ? document.activeElement : null));
  useEffect(
    () => () => {
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost && before instanceof HTMLElement) before.focus({ preventScroll: true });
    },
    [before],
  );
  return <Modal {...props} />;
}
