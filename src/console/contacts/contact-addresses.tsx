import { Button, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import type { Contact } from "../api-types.ts";
import type { Column } from "../lists/columns.tsx";
import { RowsTable } from "../lists/rows-table.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Names } from "../parts/names.tsx";
import { Panel, RouteLink, Scroller } from "../parts/parts.tsx";
import { personPath } from "../parts/person-path.ts";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { Time } from "../time/time.tsx";

const KEYS = [["contact"]] as const;

const scopes = (suppressed: string[]): string =>
  suppressed.map((scope) => scope.replace("all", "all channels")).join(", ") || "–";

const LINKED_THROUGH: Partial<Record<string, string>> = {
  request: "by a campaign's request",
  session: "by a conversation",
};

/** Whose addresses these are: one person's. Linked and unlinked here. */
export function ContactAddresses({ contact }: { contact: Contact }) {
  const may = useMay();
  const [linking, { open, close }] = useDisclosure(false);
  const { address } = contact;
  return (
    <Panel
      title="Addresses"
      actions={
        may("outbound_write") && (
          <Button size="compact-sm" variant="default" onClick={open}>
            Link address
          </Button>
        )
      }
    >
      {linking && <LinkAddress address={address} onClose={close} />}
      <Scroller label="Addresses of the person">
        <RowsTable columns={columnsOf(contact)} rows={contact.addresses} rowKey={({ address }) => address} />
      </Scroller>
    </Panel>
  );
}

function columnsOf({ address, addresses, record }: Contact): Column<Contact["addresses"][number]>[] {
  const links = new Map((record?.addresses ?? []).map((link) => [link.address, link]));
  return [
    {
      field: "address",
      title: "Address",
      render: ({ address: each }) =>
        each === address ? <bdi>{each}</bdi> : <RouteLink to={personPath(each)}>{each}</RouteLink>,
    },
    { field: "suppressed", title: "Opt-outs", render: ({ suppressed }) => scopes(suppressed) },
    { field: "consents", title: "Consents", render: ({ consents }) => <Names of={consents} /> },
    {
      field: "linked_at",
      title: "Linked",
      render: ({ address: each }) => {
        const link = links.get(each);
        if (link === undefined) return "–";
        return (
          <>
            <Time at={link.linked_at} /> {LINKED_THROUGH[link.linked_through] ?? `by ${link.linked_by}`}
          </>
        );
      },
    },
    {
      field: "action",
      title: "Action",
      permissions: ["outbound_write"],
      render: ({ address: each }) =>
        links.has(each) &&
        addresses.length > 1 && (
          <ConfirmButton
            verb="Unlink"
            aria-label={`Unlink ${each}`}
            size="compact-xs"
            question={`Unlink ${each}?`}
            done={`${each} unlinked`}
            invalidates={KEYS}
            act={() =>
              call("DELETE /api/v1/contacts/{address}/addresses/{linked}", {
                path: { address, linked: each },
              })
            }
          >
            Caps, opt-outs and the time zone of this contact no longer apply to it. What was said stays.
          </ConfirmButton>
        ),
    },
  ];
}

function LinkAddress({ address, onClose }: { address: string; onClose(): void }) {
  const client = useQueryClient();
  const { form, sending } = useWindowForm({
    initial: { address: "" },
    send: (body) => call("POST /api/v1/contacts/{address}/addresses", { path: { address }, body }),
    async onSent() {
      onClose();
      notifications.show({ message: "Address linked", color: "green", autoClose: 4000 });
      await client.invalidateQueries({ queryKey: ["contact"] });
    },
  });
  return (
    <WindowForm title="Link an address" verb="Link" sending={sending} onClose={onClose}>
      <TextInput
        label="Number or address"
        description="Of the same person. Caps and opt-outs of one then hold for the other."
        required
        data-autofocus
        {...form.getInputProps("address")}
      />
    </WindowForm>
  );
}
