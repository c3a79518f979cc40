import { Grid, NumberInput, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

type Audience = { organization_id: number | null; sub_organization_id: number | null };

/** The audience of an incident: everybody, an organization, or a sub-organization. */
export function AudienceFields({
  organization_id,
  sub_organization_id,
  onChange,
  errorOf,
}: Audience & { onChange(audience: Partial<Audience>): void; errorOf(field: keyof Audience): ReactNode }) {
  const may = useMay();
  const organizations = useQuery({
    queryKey: ["GET /api/v1/incidents/organizations"],
    enabled: may("sa_incidents_read"),
    queryFn: ({ signal }) => call("GET /api/v1/incidents/organizations", { signal }),
  });
  const found = (organizations.data ?? []).map(({ id, display_name }) => ({
    value: String(id),
    label: `${display_name} (${id})`,
  }));
  const chosen = organization_id === null ? null : String(organization_id);
  const isListed = chosen === null || found.some(({ value }) => value === chosen);
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, sm: 6 }}>
        <Select
          label="Audience"
          placeholder="everybody"
          description="Only this organization sees it."
          searchable
          clearable
          clearButtonProps={{ "aria-label": "For everybody" }}
          limit={100}
          data={isListed ? found : [{ value: chosen, label: `Organization ${chosen}` }, ...found]}
          value={chosen}
          onChange={(id) => onChange({ organization_id: id === null ? null : Number(id) })}
          error={organizations.error?.message ?? errorOf("organization_id")}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, sm: 6 }}>
        <NumberInput
          label="Sub-organization"
          placeholder="all of them"
          description="ID of the sub-organization. Empty: all."
          min={1}
          allowDecimal={false}
          value={sub_organization_id ?? ""}
          onChange={(id) => onChange({ sub_organization_id: id === "" ? null : Number(id) })}
          error={errorOf("sub_organization_id")}
        />
      </Grid.Col>
    </Grid>
  );
}
