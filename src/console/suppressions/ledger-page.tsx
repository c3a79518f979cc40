import { Button, TextInput, type TextInputProps } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDownload, IconUpload } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useNewRecord } from "../lists/new-record.tsx";
import { PageHead } from "../parts/parts.tsx";
import { useMay } from "../server/me.tsx";

type OpenedWindow = (onClose: () => void) => ReactNode;

type Props = {
  title: string;
  about: string;
  /** Where the whole of it is downloaded as a file. */
  csv: string;
  /** The button for one more entry. */
  add: string;
  addWindow: OpenedWindow;
  importWindow: OpenedWindow;
  /** The table, which offers the same button where it is empty. */
  children(button: ReactNode): ReactNode;
};

/** A ledger of addresses. By hand, because files are exchanged here beside the new record. */
export function LedgerPage({ title, about, csv, add, addWindow, importWindow, children }: Props) {
  const may = useMay();
  const { button, window } = useNewRecord({ permission: "outbound_write", label: add, window: addWindow });
  const [importing, { open, close }] = useDisclosure(false);
  return (
    <>
      <PageHead
        title={title}
        about={about}
        actions={
          <>
            <Button
              component="a"
              href={csv}
              download
              variant="default"
              leftSection={<IconDownload size={15} />}
            >
              Export CSV
            </Button>
            {may("outbound_write") && (
              <Button variant="default" leftSection={<IconUpload size={15} />} onClick={open}>
                Import CSV
              </Button>
            )}
            {button}
          </>
        }
      />
      {children(button)}
      {window}
      {importing && importWindow(close)}
    </>
  );
}

/** Searches a ledger. */
export const BY_ADDRESS = { field: "address", label: "Number or address" };

/** The address of a new entry. */
export const AddressField = (input: TextInputProps) => (
  <TextInput
    label="Number or e-mail address"
    description="Include the country code: +1 512 555 0123."
    required
    data-autofocus
    {...input}
  />
);
