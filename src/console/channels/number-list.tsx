import { Button, Group, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconPhone, IconPlus } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Channel, TwilioPhoneNumber } from "../api-types.ts";
import type { Column } from "../lists/columns.tsx";
import { RowsTable } from "../lists/rows-table.tsx";
import { useAction } from "../parts/action.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Empty, Fetched, Panel, Scroller, Status } from "../parts/parts.tsx";
import { cutTo } from "../parts/shortened.ts";
import { showFailure } from "../parts/show-failure.ts";
import { useWindowForm, WindowForm } from "../records/window-form.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import classes from "./channels.module.css";

const columnsOf = (channel_id: number): Column<TwilioPhoneNumber>[] => [
  { field: "phone_number", title: "Number" },
  { field: "friendly_name", title: "Name" },
  {
    field: "texts",
    title: "Texts to the US",
    render: (number) => <TextsCheck channel_id={channel_id} number={number} />,
  },
  {
    field: "attach",
    title: "Action",
    permissions: ["channels_write", "channels_delete"],
    render: (number) => <Actions channel_id={channel_id} number={number} />,
  },
];

/** The numbers of a carrier account, each to be claimed for an agent. By hand: the carrier tells them all at once. */
export function NumberList({ channel }: { channel: Channel }) {
  const may = useMay();
  const [isBuying, { open, close }] = useDisclosure(false);
  const path = { channel_id: channel.id };
  const numbers = useQuery({
    queryKey: ["numbers", channel.id],
    queryFn: ({ signal }) => call("GET /api/v1/channels/twilio/{channel_id}/numbers", { path, signal }),
    retry: false,
  });
  const buy = may("channels_write") && (
    <Button size="xs" leftSection={<IconPlus size={14} />} onClick={open}>
      Rent a number
    </Button>
  );
  return (
    <Panel title="Numbers of the account" actions={buy} flush>
      <Fetched query={numbers}>
        {({ phone_numbers }) =>
          phone_numbers.length === 0 ? (
            <Empty title="No numbers in this account" icon={<IconPhone size={28} />} action={buy}>
              Rent one by its area code, then connect an agent to it under Addresses.
            </Empty>
          ) : (
            <Scroller label="Numbers of the account" className={classes.scroll}>
              <RowsTable columns={columnsOf(channel.id)} rows={phone_numbers} rowKey={({ sid }) => sid} />
            </Scroller>
          )
        }
      </Fetched>
      {isBuying && <BuyWindow channel={channel} onClose={close} />}
    </Panel>
  );
}

type OfNumber = { channel_id: number; number: TwilioPhoneNumber };

/** Whether texts from the number may go to the US, which is asked of the carrier. */
function TextsCheck({ channel_id, number: { phone_number } }: OfNumber) {
  const may = useMay();
  const client = useQueryClient();
  const check = useAction({
    mutationFn: () =>
      call("POST /api/v1/channels/twilio/{channel_id}/numbers/verify-a2p-compliance", {
        path: { channel_id },
        body: { phone: phone_number },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["GET /api/v1/channels/targets"] }),
    onError: showFailure,
  });
  if (check.data) {
    return check.data.a2p_approved ? (
      <Status tone="good">registered</Status>
    ) : (
      <Status tone="bad">not registered</Status>
    );
  }
  if (!may("channels_write")) return "–";
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      aria-label={`Check texts of ${phone_number}`}
      loading={check.isPending}
      onClick={() => check.mutate()}
    >
      Check
    </Button>
  );
}

function Actions(of: OfNumber) {
  const may = useMay();
  return (
    <Group gap={6} wrap="nowrap">
      {may("channels_write") && <Attach {...of} />}
      {may("channels_delete") && <GiveBack {...of} />}
    </Group>
  );
}

const GiveBack = ({ channel_id, number: { phone_number: number } }: OfNumber) => (
  <ConfirmButton
    size="compact-sm"
    aria-label={`Give back ${number}`}
    verb="Give back"
    question={`Give ${number} back to the carrier?`}
    act={() =>
      call("DELETE /api/v1/channels/twilio/{channel_id}/numbers/{number}", { path: { channel_id, number } })
    }
    invalidates={[["numbers", channel_id]]}
    done={`${number} given back`}
  >
    The carrier charges nothing for it any more and may give it to somebody else. You can't be sure to get it
    again.
  </ConfirmButton>
);

function Attach({ channel_id, number: { sid, phone_number, friendly_name } }: OfNumber) {
  const attach = useAction({
    mutationFn: () =>
      call("PUT /api/v1/channels/twilio/{channel_id}/numbers", {
        path: { channel_id },
        body: { phone_sid: sid, friendly_name: friendly_name || phone_number },
      }),
    onSuccess: (stored) =>
      notifications.show({ message: `${stored.phone_number} is connected`, color: "green" }),
    onError: showFailure,
  });
  return (
    <Button
      variant="default"
      size="compact-sm"
      title="Sets up the number at the carrier so that its calls and texts reach Parley"
      aria-label={`Attach ${phone_number}`}
      loading={attach.isPending}
      onClick={() => attach.mutate()}
    >
      Attach
    </Button>
  );
}

function BuyWindow({ channel, onClose }: { channel: Channel; onClose(): void }) {
  const client = useQueryClient();
  const { form, sending } = useWindowForm({
    initial: { area_code: "", friendly_name: cutTo(channel.name, 64) },
    send: (body) =>
      call("POST /api/v1/channels/twilio/{channel_id}/numbers", { path: { channel_id: channel.id }, body }),
    async onSent({ phone_number }) {
      notifications.show({ message: `${phone_number} is yours`, color: "green" });
      await client.invalidateQueries({ queryKey: ["numbers", channel.id] });
      onClose();
    },
  });
  return (
    <WindowForm title="Rent a number" verb="Rent" sending={sending} onClose={onClose}>
      <Text size="sm">
        The carrier charges the account every month until you give the number back. With the simulator it is
        free and reaches nobody.
      </Text>
      <TextInput
        label="Area code"
        placeholder="512"
        required
        inputMode="numeric"
        maxLength={3}
        {...form.getInputProps("area_code")}
      />
      <TextInput label="Called" required maxLength={64} {...form.getInputProps("friendly_name")} />
    </WindowForm>
  );
}
