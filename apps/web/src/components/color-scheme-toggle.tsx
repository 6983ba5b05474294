import { ActionIcon, useMantineColorScheme } from "@mantine/core";
import { AutoIcon, MoonIcon, SunIcon } from "./icons.tsx";

const schemes = {
  auto: { Icon: AutoIcon, label: "Colours like my device", next: "light" },
  light: { Icon: SunIcon, label: "Light colours", next: "dark" },
  dark: { Icon: MoonIcon, label: "Dark colours", next: "auto" },
} as const;

/** One button that goes round: like the device, light, dark. */
export function ColorSchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { Icon, label, next } = schemes[colorScheme];
  const help = `${label}. Change to: ${schemes[next].label.toLowerCase()}`;
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
