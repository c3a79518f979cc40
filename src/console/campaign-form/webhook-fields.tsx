import { ActionIcon, Button, Grid, Group, MultiSelect, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { ChannelManagerStatus } from "../api-types.ts";
import { STATUS_CHOICES } from "../outbound/channel-statuses.ts";
import classes from "../outbound/outbound.module.css";
import { SecretField } from "../webhooks/secret-field.tsx";
import type { SecretChange } from "../webhooks/webhook-secret.ts";
import type { WebhookValues } from "./campaign-values.ts";

type Props = {
  webhooks: WebhookValues[];
  secrets: SecretChange[];
  /** Whether the stored webhook with this id has a secret. */
  hasSecret(id: number | null | undefined): boolean;
  onChange(webhooks: WebhookValues[], secrets: SecretChange[]): void;
  errorOf(path: string): ReactNode;
  readOnly: boolean;
};

/** The webhooks of a campaign: address, statuses and signing secret. */
export function WebhookFields({ webhooks, secrets, hasSecret, onChange, errorOf, readOnly }: Props) {
  const add = () =>
    onChange(
      [
        ...webhooks,
        {
          url: "https://",
          request_method: "POST",
          trigger_statuses: ["COMPLETED", "NO-ANSWER", "BUSY", "FAILED"],
        },
      ],
      [...secrets, { kind: "new", hmac_secret: randomSecret() }],
    );
  return (
    <Stack gap="sm">
      {webhooks.length === 0 && (
        <Text size="sm" c="dimmed">
          No webhooks yet. A webhook receives a signed message when a person reaches one of the statuses you
          choose.
        </Text>
      )}
      {webhooks.map((webhook, index) => (
        <fieldset
          // biome-ignore lint/suspicious/noArrayIndexKey: a new webhook has no other name than its place
          key={index}
          className={classes.webhook}
        >
          <legend className="sr-only">Webhook {index + 1}</legend>
          <Group gap="xs" wrap="nowrap" align="flex-end">
            <TextInput
              style={{ flex: 1 }}
              label={`URL of webhook ${index + 1}`}
              type="url"
              required
              value={webhook.url}
              onChange={({ currentTarget }) =>
                onChange(webhooks.with(index, { ...webhook, url: currentTarget.value }), secrets)
              }
              error={errorOf(`webhooks.${index}.url`) ?? errorOf(`webhooks.${index}`)}
            />
            {!readOnly && (
              <ActionIcon
                mb={6}
                aria-label={`Remove webhook ${index + 1}`}
                onClick={() => onChange(webhooks.toSpliced(index, 1), secrets.toSpliced(index, 1))}
              >
                <IconTrash size={15} />
              </ActionIcon>
            )}
          </Group>
          <Grid gap="md">
            <Grid.Col span={{ base: 12, sm: 3 }}>
              <Select
                label="Method"
                data={["POST", "PUT", "PATCH"]}
                allowDeselect={false}
                value={webhook.request_method}
                onChange={(method) =>
                  onChange(
                    webhooks.with(index, {
                      ...webhook,
                      request_method: method as WebhookValues["request_method"],
                    }),
                    secrets,
                  )
                }
                error={errorOf(`webhooks.${index}.request_method`)}
              />
            </Grid.Col>
            <Grid.Col span={{ base: 12, sm: 9 }}>
              <MultiSelect
                label="Notify on status"
                data={STATUS_CHOICES}
                searchable
                value={webhook.trigger_statuses}
                onChange={(chosen) =>
                  onChange(
                    webhooks.with(index, { ...webhook, trigger_statuses: chosen as ChannelManagerStatus[] }),
                    secrets,
                  )
                }
                error={errorOf(`webhooks.${index}.trigger_statuses`)}
              />
            </Grid.Col>
          </Grid>
          <SecretField
            label={`Secret of webhook ${index + 1}`}
            change={secrets[index] ?? { kind: "none" }}
            isStored={hasSecret(webhook.id)}
            fresh={randomSecret}
            aboutNew={
              hasSecret(webhook.id)
                ? "Copy it to the receiver now; it is not shown after saving. For 24 hours the old one signs, too."
                : "Copy it to the receiver now; after saving it is not shown."
            }
            aboutNone="Without a secret, messages are not signed and the receiver can't verify them."
            onChange={(next) => onChange(webhooks, secrets.with(index, next))}
            error={errorOf(`secrets.${index}.hmac_secret`) ?? errorOf(`secrets.${index}`)}
          />
        </fieldset>
      ))}
      {!readOnly && (
        <div>
          <Button size="compact-sm" variant="subtle" leftSection={<IconPlus size={14} />} onClick={add}>
            Add webhook
          </Button>
        </div>
      )}
    </Stack>
  );
}

/** 48 random bytes in Base64. */
function randomSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(48));
  return btoa(String.fromCharCode(...bytes));
}
