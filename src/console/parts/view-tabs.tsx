import { Tabs } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

type Views<View extends string> = Readonly<Partial<Record<View, string>>>;

/** The view in the address, or else the first. */
export function useView<View extends string>(views: Views<View>): View {
  const { view } = useSearch({ strict: false }) as { view?: string };
  const names = Object.keys(views) as View[];
  return names.find((name) => name === view) ?? (names[0] as View);
}

/** The views of a page as tabs: `views` maps each to its label, and the one shown is in the address. */
export function ViewTabs<View extends string>(props: {
  label: string;
  views: Views<View>;
  children(shown: View): ReactNode;
}) {
  const { label, views, children } = props;
  const navigate = useNavigate();
  const shown = useView(views);
  const names = Object.keys(views) as View[];
  return (
    <Tabs
      value={shown}
      onChange={(chosen) =>
        void navigate({ to: ".", search: chosen === names[0] ? {} : { view: chosen }, resetScroll: false })
      }
      keepMounted={false}
    >
      <Tabs.List mb="md" aria-label={label}>
        {names.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {views[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={shown}>{children(shown)}</Tabs.Panel>
    </Tabs>
  );
}
