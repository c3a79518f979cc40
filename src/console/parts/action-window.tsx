import { PageWindow, type WindowProps } from "./page-window.tsx";

/** A window that sends something. It stays until the answer has come: a failure is shown where it was asked for, and what was typed is still there. */
export function ActionWindow({ isPending, onClose, ...rest }: WindowProps & { isPending: boolean }) {
  return (
    <PageWindow
      {...rest}
      onClose={() => {
        if (!isPending) onClose();
      }}
      closeButtonProps={{ "aria-label": "Close", disabled: isPending }}
    />
  );
}
