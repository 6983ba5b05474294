import { ActionIcon, useMantineColorScheme } from "@mantine/core";
import { AutoIcon, MoonIcon, SunIcon } from "../icons.tsx";

const schemes = {
  auto: { Icon: AutoIcon, name: "system", next: "light" },
  light: { Icon: SunIcon, name: "light", next: "dark" },
  dark: { Icon: MoonIcon, name: "dark", next: "auto" },
} as const;

/** A button that cycles through the colour schemes: system, light, dark. */
export function ColorSchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { Icon, name, next } = schemes[colorScheme];
  const help = `Theme: ${name}. Switch to ${schemes[next].name}`;
  return (
    <ActionIcon
      size={36}
      radius="xl"
      aria-label={help}
      title={help}
      onClick={() => setColorScheme(next)}
    >
      <Icon />
    </ActionIcon>
  );
}
