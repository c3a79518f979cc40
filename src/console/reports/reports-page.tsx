import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Fetched, LinkButton, PageHead } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";
import { DashboardView } from "./dashboard-view.tsx";
import { chosenDays, DaysChooser } from "./days-chooser.tsx";

/** Every dashboard of the program, as charts over a number of days. */
export default function ReportsPage() {
  const may = useMay();
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as { view?: string; days?: unknown };
  const days = chosenDays(search.days);
  const dashboards = useQuery({
    queryKey: ["dashboards"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => call("POST /api/v1/dashboards/list", { signal }),
  });
  const go = (part: { view?: string; days?: string }) =>
    void navigate({ to: ".", search: { ...search, ...part }, replace: true, resetScroll: false });
  return (
    <>
      <PageHead
        title="Reports"
        about="Activity by day, in the time zone chosen above. Test sessions are excluded."
        actions={
          <>
            <DaysChooser days={days} onChange={(next) => go({ days: next })} />
            {may("takeouts_create") && (
              <LinkButton to="/export" variant="default" size="xs">
                Export everything
              </LinkButton>
            )}
          </>
        }
      />
      <Fetched query={dashboards}>
        {({ items }) => {
          const shown = items.find(({ name }) => name === search.view) ?? items[0];
          if (!shown) return null;
          return (
            <Tabs value={shown.name} onChange={(view) => view !== null && go({ view })} keepMounted={false}>
              <Tabs.List mb="md" aria-label="Dashboards">
                {items.map(({ name, display_name }) => (
                  <Tabs.Tab key={name} value={name}>
                    {display_name}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              <Tabs.Panel value={shown.name}>
                <DashboardView key={shown.name} name={shown.name} days={days} />
              </Tabs.Panel>
            </Tabs>
          );
        }}
      </Fetched>
    </>
  );
}
