import { Modal, type ModalProps } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { focused, giveFocus } from "./kept-focus.ts";

export type WindowProps = ModalProps & {
  /** Something was entered that is lost if the window goes: Escape and a click beside it are soon done by mistake. */
  isTyped?: boolean;
  /** It shows what is never shown again, which goes with a button only, and not by a slip. */
  showsOnce?: boolean;
};

/**
 * A window over the page. Whatever had the focus before has it again afterwards: Mantine sees to that only where a window is
 * there closed before it opens, and not where the fields below are disabled when it does.
 */
export function PageWindow({ isTyped = false, showsOnce = false, ...props }: WindowProps) {
  const { opened, onClose } = props;
  const root = useRef<HTMLDivElement>(null);
  const [before, setBefore] = useState(() => (opened ? focused() : null));
  const [wasOpened, setWasOpened] = useState(opened);
  // A closed one is no part of the page: it would be drawn at each key of the form that it belongs to.
  const [isDrawn, setDrawn] = useState(opened);
  if (opened !== wasOpened) {
    setWasOpened(opened);
    if (opened) {
      setBefore(focused());
      setDrawn(true);
    }
  }
  useEffect(() => {
    if (!opened) return undefined;
    return () => {
      const active = document.activeElement;
      const isLost = active === null || active === document.body || root.current?.contains(active);
      if (isLost) giveFocus(before);
    };
  }, [opened, before]);
  const leave = () => {
    if (!isTyped || window.confirm("Close without saving what you entered?")) onClose();
  };
  if (!isDrawn) return null;
  return (
    <Modal
      {...props}
      onExitTransitionEnd={() => {
        setDrawn(false);
        props.onExitTransitionEnd?.();
      }}
      closeOnClickOutside={!showsOnce}
      closeOnEscape={!showsOnce}
      onClose={leave}
      ref={root}
    />
  );
}
