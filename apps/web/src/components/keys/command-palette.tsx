import "@mantine/spotlight/styles.css";
import "./command-palette.css";
import { useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from "@mantine/spotlight";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { hub } from "../../hub.ts";
import { me, miniAppList, myChats } from "../../queries.ts";
import {
  AutoIcon,
  FileIcon,
  MoonIcon,
  PlusIcon,
  SearchIcon,
  SunIcon,
  UserIcon,
} from "../icons.tsx";
import { linkTo } from "../ui/open-room.ts";
import { readPageEntries } from "../ui/page-entries.ts";
import { Sigil } from "../ui/sigil.tsx";

const [store, palette] = createSpotlight();

/** Opens the palette, or closes it. */
export const togglePalette = palette.toggle;

const DEBOUNCE_MS = 150;
/** The number of entries that a group shows. */
const SHOWN = 5;

/** Finds pages, souls, rooms and mini apps by name. */
export function CommandPalette({ onKeys }: { onKeys: () => void }) {
  const [query, setQuery] = useState("");
  const here = usePageActions();
  const pages = usePages();
  const settings = useDisplayActions(onKeys);
  const rooms = useRooms();
  const apps = useMiniApps();
  const souls = useSouls(query);
  const isMatch = matches(query);
  const soulIds = souls.map(({ id }) => id).join();
  // Mantine chooses the first entry when the query changes. The hub's souls arrive later, above it.
  useEffect(() => {
    if (soulIds !== "") chooseFirst();
  }, [soulIds]);
  const groups: SpotlightActionGroupData[] = [
    { group: "This page", actions: query ? here.filter(isMatch) : [] },
    { group: "Pages", actions: pages.filter(isMatch) },
    { group: "Souls", actions: souls },
    { group: "Rooms", actions: rooms.filter(isMatch).slice(0, SHOWN) },
    { group: "Mini apps", actions: query ? apps.filter(isMatch).slice(0, SHOWN) : [] },
    { group: "Display and help", actions: settings.filter(isMatch) },
  ].filter(({ actions }) => actions.length > 0);
  return (
    <Spotlight
      store={store}
      // The hotkeys of the whole page open the palette.
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      actions={groups}
      // The hub has already searched for souls, and its matches need not contain the query.
      filter={(_, given) => given}
      nothingFound="Nothing found"
      scrollable
      maxHeight="min(60vh, 30rem)"
      attributes={{ content: { "aria-label": "Command palette" } }}
      searchProps={{
        leftSection: <SearchIcon />,
        placeholder: "Find a page, a soul or a room",
        "aria-label": "Find a page, a soul or a room",
      }}
    />
  );
}

/** Chooses the first entry for the Enter key, unless the user has chosen another one. */
function chooseFirst() {
  const { listId, selected } = store.getState();
  const list = document.getElementById(listId);
  if (!list || selected > 0) return;
  list.querySelector("[data-selected]")?.removeAttribute("data-selected");
  list.querySelector("[data-action]")?.setAttribute("data-selected", "true");
  store.updateState((state) => ({ ...state, selected: 0 }));
}

const matches =
  (query: string) =>
  ({ label = "", keywords = "" }: SpotlightActionData) =>
    `${label}\n${keywords}`.toLowerCase().includes(query.trim().toLowerCase());

function usePages(): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data: user } = useQuery(me);
  const page = (label: string, to: string, leftSection: React.ReactNode): SpotlightActionData => ({
    id: to,
    label,
    leftSection,
    onClick: () => void navigate({ to }),
  });
  const everyone = [
    page("All souls", "/", <SearchIcon />),
    page("Mini apps", "/apps", <FileIcon />),
    page("Publish a soul", "/publish", <PlusIcon />),
  ];
  // The menu of the account has the other pages of a member.
  return user ? everyone : [...everyone, page("Sign in", "/sign-in", <UserIcon />)];
}

/** The entries of the open page's menus, which the palette finds by their present and older names. */
function usePageActions(): SpotlightActionData[] {
  const navigate = useNavigate();
  return readPageEntries().map(({ name, note = "", keywords = "", icon: Icon, run, link }) => ({
    id: `here-${name}`,
    label: name,
    description: note,
    keywords,
    leftSection: Icon && <Icon />,
    onClick: () => (link ? void navigate(link) : run?.()),
  }));
}

function useDisplayActions(onKeys: () => void): SpotlightActionData[] {
  const { setColorScheme } = useMantineColorScheme();
  const theme = (label: string, scheme: "light" | "dark" | "auto", icon: React.ReactNode) => ({
    id: `theme-${scheme}`,
    label,
    leftSection: icon,
    onClick: () => setColorScheme(scheme),
  });
  return [
    theme("Theme: light", "light", <SunIcon />),
    theme("Theme: dark", "dark", <MoonIcon />),
    theme("Theme: system", "auto", <AutoIcon />),
    { id: "keys", label: "Keyboard shortcuts", leftSection: <FileIcon />, onClick: onKeys },
  ];
}

function useRooms(): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data: user } = useQuery(me);
  const { data } = useQuery({ ...myChats, enabled: Boolean(user) });
  return (data?.sessions ?? []).map((room) => {
    const { soul_id, soul_title, session_token, title, summary } = room;
    return {
      id: `room-${soul_id}-${session_token}`,
      label: title || soul_title,
      keywords: soul_title,
      description: title ? soul_title : (summary ?? ""),
      leftSection: <Sigil id={soul_id} size={28} />,
      onClick: () => void navigate(linkTo(room)),
    };
  });
}

function useMiniApps(): SpotlightActionData[] {
  const navigate = useNavigate();
  const { data = [] } = useQuery(miniAppList());
  return data.map(({ slug, title, description }) => ({
    id: `app-${slug}`,
    label: title,
    description,
    leftSection: <FileIcon />,
    onClick: () => void navigate({ to: "/apps/$slug", params: { slug } }),
  }));
}

/** The souls whose words match the query: Enter chooses the first one, so meaning finds none. */
function useSouls(query: string): SpotlightActionData[] {
  const navigate = useNavigate();
  const [q] = useDebouncedValue(query.trim(), DEBOUNCE_MS);
  const { data } = useQuery({
    queryKey: ["palette", q],
    queryFn: ({ signal }) => hub.souls.list.query({ q, limit: SHOWN, match: "text" }, { signal }),
    enabled: q !== "",
    placeholderData: (previous) => previous,
  });
  if (query.trim() === "" || !data) return [];
  return data.data.map(({ id, title, username }) => ({
    id: `soul-${id}`,
    label: title,
    description: `by ${username}`,
    leftSection: <Sigil id={id} size={28} />,
    onClick: () => void navigate({ to: "/soul/$id", params: { id } }),
  }));
}
