import {
  ActionIcon,
  Alert,
  AppShell,
  Burger,
  Button,
  Group,
  Menu,
  ScrollArea,
  Title,
  Tooltip,
  useMantineColorScheme,
} from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import {
  IconBook,
  IconDeviceDesktop,
  IconLogout,
  IconMoon,
  IconSearch,
  IconSun,
  IconUser,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useMatches } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useLayoutEffect, useState } from "react";
import { PAGES } from "../pages.tsx";
import { rememberPage } from "../parts/as-left.ts";
import { Failure, Loading } from "../parts/parts.tsx";
import { showFailure } from "../parts/show-failure.ts";
import { ApiError, callConsole } from "../server/api.ts";
import { type Me, meQuery, useMay } from "../server/me.tsx";
import { ZoneChooser } from "../time/zone-chooser.tsx";
import { Arrival } from "./arrival.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { MainMenu, PageTabs } from "./menu.tsx";
import classes from "./shell.module.css";
import { goToSignIn, SignInAgain } from "./sign-in-again.tsx";

// If the request fails, the banner says why and the page stays.
const Palette = lazy(() => import("./palette.tsx").catch(() => ({ default: () => <></> })));

const FACTOR_LOOK_MS = 2_000;
const IS_MAC = /^(Mac|iP)/.test(navigator.platform);

/** The frame around every page. It renders nothing until the signed-in person is known. */
export function Shell() {
  const me = useQuery({
    ...meQuery,
    retry: false,
    // Until it is set up, on another page or in another tab.
    refetchInterval: ({ state }) => (state.data?.needs_second_factor ? FACTOR_LOOK_MS : false),
  });
  // A sign-in that ended while the page was open is renewed in place by what is sent next.
  const mustSignIn = !me.data && me.error instanceof ApiError && me.error.status === 401;
  useEffect(() => {
    if (mustSignIn) goToSignIn();
  }, [mustSignIn]);
  return (
    <>
      <ConnectionBanner />
      <SignInAgain />
      {me.data ? (
        <Frame me={me.data} />
      ) : me.error && !mustSignIn ? (
        <NoEntrance error={me.error} />
      ) : (
        <Waiting />
      )}
    </>
  );
}

const Waiting = () => (
  <div className={classes.waiting}>
    <Loading lines={4} />
  </div>
);

/** Whoever may not come in can sign in as somebody else. */
const NoEntrance = ({ error }: { error: Error }) => (
  <main className={classes.waiting}>
    <Title order={1}>The console can't be opened</Title>
    <Failure error={error} retry={() => location.reload()} />
    <Button variant="default" leftSection={<IconLogout size={15} />} onClick={() => void signOut()}>
      Sign out
    </Button>
  </main>
);

async function signOut(): Promise<void> {
  try {
    await callConsole("/api/console/sign-out", {});
    location.assign("/sign-in");
  } catch (error) {
    showFailure(new Error(`You are still signed in. ${(error as Error).message}`));
  }
}

function Frame({ me }: { me: Me }) {
  const [opened, { toggle, close }] = useDisclosure(false);
  const [palette, setPalette] = useState<"unused" | "open" | "closed">("unused");
  const openPalette = () => setPalette("open");
  useHotkeys([["mod+K", openPalette]]);
  // From within fields and editors, too, where on a Mac Ctrl K is theirs.
  useHotkeys([[IS_MAC ? "meta+K" : "ctrl+K", openPalette]], [], true);
  const { pathname, searchStr } = useLocation();
  useLayoutEffect(() => rememberPage(pathname, searchStr), [pathname, searchStr]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the menu of a phone
  useEffect(close, [pathname]);
  const page = usePage();
  // Before the page's own heading names the tab (PageHead).
  useLayoutEffect(() => {
    document.title = page ? `${page.title} · Parley` : "Parley";
  }, [page]);

  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 216, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding={{ base: "sm", sm: "lg" }}
      transitionDuration={0}
    >
      <a href="#main" className={classes.skip}>
        Skip to content
      </a>
      <AppShell.Header className={classes.header}>
        <Group gap="xs" wrap="nowrap">
          <Burger
            opened={opened}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={opened ? "Close the menu" : "Open the menu"}
          />
          <Link to="/" className={classes.brand}>
            <img src="/home/mark.svg" alt="" width={22} height={22} />
            Parley
          </Link>
        </Group>
        <Button
          className={classes.find}
          variant="default"
          size="xs"
          leftSection={<IconSearch size={14} />}
          rightSection={<kbd className={classes.kbd}>{IS_MAC ? "⌘ K" : "Ctrl K"}</kbd>}
          onClick={openPalette}
        >
          Go to…
        </Button>
        <Group gap={6} wrap="nowrap">
          <ZoneChooser />
          <SchemeSwitch />
          <PersonMenu me={me} />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} component="nav" aria-label="Main" mod={{ closed: !opened }}>
        <ScrollArea type="hover" scrollbarSize={6}>
          <MainMenu />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Arrival title={page?.title} />
        <div className={classes.page}>
          <PageTabs />
          {me.needs_second_factor && <NeedsSecondFactor />}
          {(!me.needs_second_factor || page?.path === "/account") && (
            <Guarded permission={page?.permission}>
              <Outlet />
            </Guarded>
          )}
        </div>
      </AppShell.Main>
      {palette !== "unused" && (
        <Suspense>
          <Palette opened={palette === "open"} onClose={() => setPalette("closed")} />
        </Suspense>
      )}
    </AppShell>
  );
}

const NeedsSecondFactor = () => (
  <Alert color="yellow" title="Set up a second factor">
    Your organization requires one. <Link to="/account">Your account</Link> shows how.
  </Alert>
);

function usePage() {
  const route: string | undefined = useMatches().at(-1)?.fullPath;
  return PAGES.find(({ path }) => path === route || `${path}/` === route);
}

function Guarded({ permission, children }: { permission: string | undefined; children: React.ReactNode }) {
  const may = useMay();
  if (permission === undefined || may(permission)) return children;
  const told = `This page needs the permission ${permission}. Ask an administrator for it.`;
  return <Failure error={new ApiError(403, told)} />;
}

function SchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const next = { auto: "light", light: "dark", dark: "auto" } as const;
  const Sign = { auto: IconDeviceDesktop, light: IconSun, dark: IconMoon }[colorScheme];
  const label = `Colours: ${{ auto: "as this device has them", light: "light", dark: "dark" }[colorScheme]}`;
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={() => setColorScheme(next[colorScheme])} size="lg">
        <Sign size={17} />
      </ActionIcon>
    </Tooltip>
  );
}

/** Left out of the page where the reference is closed to whoever reads the console. */
const API_REFERENCE = document.querySelector<HTMLMetaElement>('meta[name="api-reference"]')?.content;

function PersonMenu({ me }: { me: Me }) {
  return (
    <Menu position="bottom-end" withArrow>
      <Menu.Target>
        <ActionIcon aria-label={`Signed in as ${me.email}`} size="lg">
          <IconUser size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me.email}</Menu.Label>
        <Menu.Item leftSection={<IconUser size={15} />} component={Link} to="/account">
          Your account
        </Menu.Item>
        {API_REFERENCE && (
          <Menu.Item leftSection={<IconBook size={15} />} component="a" href={API_REFERENCE} target="_blank">
            API reference
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
