import { Button, Group, Modal, Stack, Table, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconPhone, IconPlus } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Channel, TwilioPhoneNumber } from "../api-types.ts";
import { Empty, Failure, Fetched, Panel, Scroller, Status } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { fieldErrors } from "../records/field-errors.ts";
import { ApiError, call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import classes from "./channels.module.css";

/** The numbers of a carrier account. Each one listed here can be claimed for an agent. */
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
              Rent one by its area code, and link an agent to it under Addresses.
            </Empty>
          ) : (
            <Scroller label="Numbers of the account" className={classes.scroll}>
              <Table className={classes.table}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Number</Table.Th>
                    <Table.Th>Called</Table.Th>
                    <Table.Th>Texts to the US</Table.Th>
                    {may("channels_write") && <Table.Th>Action</Table.Th>}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {phone_numbers.map((number) => (
                    <NumberRow key={number.sid} channel={channel} number={number} />
                  ))}
                </Table.Tbody>
              </Table>
            </Scroller>
          )
        }
      </Fetched>
      {isBuying && <BuyWindow channel={channel} onClose={close} />}
    </Panel>
  );
}

function NumberRow({ channel, number }: { channel: Channel; number: TwilioPhoneNumber }) {
  const may = useMay();
  const client = useQueryClient();
  const path = { channel_id: channel.id };
  const [approved, setApproved] = useState<boolean | null>(null);
  const attach = useMutation({
    mutationFn: () =>
      call("PUT /api/v1/channels/twilio/{channel_id}/numbers", {
        path,
        body: { phone_sid: number.sid, friendly_name: number.friendly_name || number.phone_number },
      }),
    onSuccess: ({ phone_number }) =>
      notifications.show({ message: `Calls and texts to ${phone_number} lead here`, color: "green" }),
    onError: showFailure,
  });
  const check = useMutation({
    mutationFn: () =>
      call("POST /api/v1/channels/twilio/{channel_id}/numbers/verify-a2p-compliance", {
        path,
        body: { phone: number.phone_number },
      }),
    async onSuccess({ a2p_approved }) {
      setApproved(a2p_approved);
      await client.invalidateQueries({ queryKey: ["GET /api/v1/channels/targets"] });
    },
    onError: showFailure,
  });
  return (
    <Table.Tr>
      <Table.Td>
        <bdi>{number.phone_number}</bdi>
      </Table.Td>
      <Table.Td>
        <bdi>{number.friendly_name}</bdi>
      </Table.Td>
      <Table.Td>
        {approved !== null ? (
          <Status tone={approved ? "good" : "bad"}>{approved ? "registered" : "not registered"}</Status>
        ) : may("channels_write") ? (
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={`Check texts of ${number.phone_number}`}
            loading={check.isPending}
            onClick={() => check.mutate()}
          >
            Check
          </Button>
        ) : (
          "–"
        )}
      </Table.Td>
      {may("channels_write") && (
        <Table.Td>
          <Button
            variant="default"
            size="compact-sm"
            title="Sets the number up at the carrier, so that its calls and texts come here"
            aria-label={`Attach ${number.phone_number}`}
            loading={attach.isPending}
            onClick={() => attach.mutate()}
          >
            Attach
          </Button>
        </Table.Td>
      )}
    </Table.Tr>
  );
}

function BuyWindow({ channel, onClose }: { channel: Channel; onClose(): void }) {
  const client = useQueryClient();
  const form = useForm({ initialValues: { area_code: "", friendly_name: channel.name.slice(0, 64) } });
  const buying = useMutation({
    mutationFn: () =>
      call("POST /api/v1/channels/twilio/{channel_id}/numbers", {
        path: { channel_id: channel.id },
        body: form.getValues(),
      }),
    async onSuccess({ phone_number }) {
      notifications.show({ message: `${phone_number} is yours`, color: "green" });
      await client.invalidateQueries({ queryKey: ["numbers", channel.id] });
      onClose();
    },
    onError(error) {
      if (error instanceof ApiError) {
        form.setErrors(fieldErrors(error, (name) => name in form.getValues()).fields);
      }
    },
  });
  const isAtFields = buying.error instanceof ApiError && buying.error.issues.length > 0;
  return (
    <Modal opened onClose={onClose} title="Rent a number">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          buying.mutate();
        }}
      >
        <Stack gap="md">
          <Text size="sm">
            The carrier charges the account every month until you release the number there. With the simulator
            it is free and reaches nobody.
          </Text>
          {buying.error && !isAtFields && <Failure error={buying.error} />}
          <TextInput
            label="Area code"
            placeholder="512"
            required
            inputMode="numeric"
            maxLength={3}
            {...form.getInputProps("area_code")}
          />
          <TextInput label="Called" required maxLength={64} {...form.getInputProps("friendly_name")} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={buying.isPending}>
              Rent
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
