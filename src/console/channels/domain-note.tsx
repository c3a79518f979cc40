import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { IconShieldQuestion } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Channel } from "../api-types.ts";
import { useAction } from "../parts/action.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

/** Shown while an e-mail channel's domain is claimed but not verified. */
export function DomainNote({ channel }: { channel: Channel }) {
  const may = useMay();
  const queries = useQueryClient();
  const sending_domain = channel.config?.email?.sending_domain?.toLowerCase() ?? "";
  const queryKey = ["mail-domains", sending_domain];
  const domains = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      call("GET /api/v1/mail_domains/", {
        query: { search_fields: ["domain"], search_field_values: [sending_domain] },
        signal,
      }),
    enabled: channel.channel_service === "email" && sending_domain !== "",
  });
  const verify = useAction({
    mutationFn: (mail_domain_id: number) =>
      call("POST /api/v1/mail_domains/{mail_domain_id}/verify", { path: { mail_domain_id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey }),
    onError: showFailure,
  });
  const claim = domains.data?.items.find(({ domain }) => domain === sending_domain);
  if (!claim || claim.proven_at !== null) return null;
  return (
    <Alert color="yellow" icon={<IconShieldQuestion />} title={`Verify ${claim.domain}`} mb="md">
      <Stack gap="xs">
        <Text size="sm">
          Until the domain is verified, the built-in mail server takes no mail for it and the installation's
          server sends none. Add this TXT record to the domain's DNS, or ask the operator to assign the
          domain.
        </Text>
        {(["name", "value"] as const).map((part) => (
          <Group key={part} gap="xs">
            <Code>{claim[`record_${part}`]}</Code>
            <CopyButton
              text={claim[`record_${part}`]}
              name={`Copy the record's ${part}`}
              size="compact-xs"
              variant="default"
            />
          </Group>
        ))}
        {may("channels_write") && (
          <Group>
            <Button size="xs" loading={verify.isPending} onClick={() => verify.mutate(claim.id)}>
              Verify
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}
