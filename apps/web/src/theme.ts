import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from "@mantine/core";

/** The accent of tokens.css as Mantine's ten shades: 7 stands on light ground, 4 on dark. */
const live: MantineColorsTuple = [
  "#e6f7f0",
  "#cdeee0",
  "#a0e0c8",
  "#70d2ae",
  "#3fd6a0",
  "#1fae80",
  "#0e8c68",
  "#0a7457",
  "#085e47",
  "#054534",
];

/** Mantine's greys of the dark scheme, in the tint of tokens.css. */
const night: MantineColorsTuple = [
  "#e9f0ec",
  "#b3bfb9",
  "#8d9a94",
  "#5d6963",
  "#3b4943",
  "#26312c",
  "#1b2420",
  "#111815",
  "#0c1210",
  "#080c0a",
];

/** Mantine writes white on every filled button; the accent of the dark scheme is too bright for it. */
const filledWithAccent: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  const isAccent = input.variant === "filled" && (!input.color || input.color === "live");
  return isAccent ? { ...colors, color: "var(--accent-ink)" } : colors;
};

export const theme = createTheme({
  primaryColor: "live",
  primaryShade: { light: 7, dark: 4 },
  colors: { live, dark: night },
  variantColorResolver: filledWithAccent,
  cursorType: "pointer",
  defaultRadius: "md",
  radius: { xs: "0.25rem", sm: "0.5rem", md: "0.65rem", lg: "1rem", xl: "1.5rem" },
  fontFamily: "var(--font-text)",
  fontFamilyMonospace: "var(--font-code)",
  headings: { fontFamily: "var(--font-display)", fontWeight: "650" },
  focusRing: "auto",
  respectReducedMotion: true,
  // Plain objects: `Menu.extend` would bring the menu into the first load.
  components: {
    Button: { defaultProps: { fw: 600 } },
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray" } },
    Menu: { defaultProps: { shadow: "md", radius: "md" } },
    Popover: { defaultProps: { shadow: "md", radius: "md" } },
    Modal: { defaultProps: { radius: "lg", centered: true } },
  },
});

/** Mantine's own surfaces take the colours of tokens.css, so there is one palette. */
const surfaces = {
  "--mantine-color-body": "var(--ground)",
  "--mantine-color-text": "var(--ink)",
  "--mantine-color-dimmed": "var(--ink-3)",
  "--mantine-color-placeholder": "var(--ink-3)",
  "--mantine-color-default": "var(--raised)",
  "--mantine-color-default-hover": "var(--sunken)",
  "--mantine-color-default-color": "var(--ink)",
  "--mantine-color-default-border": "var(--line-strong)",
  "--mantine-color-anchor": "var(--accent-text)",
  "--mantine-color-error": "var(--bad-text)",
  "--mantine-color-live-filled": "var(--accent)",
  "--mantine-color-live-filled-hover": "var(--accent-strong)",
  "--mantine-primary-color-filled": "var(--accent)",
  "--mantine-primary-color-filled-hover": "var(--accent-strong)",
  "--mantine-color-live-light": "var(--accent-soft)",
  "--mantine-color-live-light-hover": "var(--accent-soft-hover)",
  "--mantine-color-live-light-color": "var(--accent-text)",
  "--input-bg": "var(--raised)",
};

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: surfaces,
  dark: surfaces,
});
