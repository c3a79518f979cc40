import { Button, type ButtonProps } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useEffect, useState } from "react";

const SHOWN_ms = 2000;

/** Copies a text, also where the console is looked at over plain http: browsers have no `navigator.clipboard` there. */
export function CopyButton({
  text,
  name,
  ...look
}: {
  text: string;
  /** What a screen reader calls it, where several stand on a page. */
  name?: string;
  "data-autofocus"?: boolean;
} & Pick<ButtonProps, "size" | "variant" | "leftSection" | "style">) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), SHOWN_ms);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const copy = async (button: HTMLElement) => {
    if (await copyText(text, button)) setIsCopied(true);
    else {
      notifications.show({
        color: "red",
        message: "This browser doesn't let the page copy. Select the text and copy it yourself.",
      });
    }
  };
  return (
    <>
      <Button
        {...look}
        {...(name !== undefined && { "aria-label": name })}
        onClick={({ currentTarget }) => void copy(currentTarget)}
      >
        {isCopied ? "Copied" : "Copy"}
      </Button>
      <span className="sr-only" role="status">
        {isCopied ? "Copied" : ""}
      </span>
    </>
  );
}

async function copyText(text: string, button: HTMLElement): Promise<boolean> {
  try {
    // Absent, or refused by the person or a policy: the older way needs neither.
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text, button);
  }
}

/** Beside the button, since a window keeps the focus within itself. */
function copySelected(text: string, button: HTMLElement): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  area.className = "sr-only";
  button.after(area);
  area.select();
  try {
    return document.execCommand("copy");
  } finally {
    area.remove();
    button.focus();
  }
}
