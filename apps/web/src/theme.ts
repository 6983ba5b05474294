import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from "@mantine/core";

/**
 * The accent colour of tokens.css in Mantine's ten shades. The light scheme uses shade 7, the dark
 * scheme shade 4.
 */
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

/** Mantine's shades of grey for the dark scheme, tinted as in tokens.css. */
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

/**
 * Mantine's white text on filled buttons lacks contrast on the bright accent of the dark scheme.
 */
const filledWithAccent: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  const isAccent = input.variant === "filled" && (!input.color || input.color === "live");
  if (input.variant === "filled" && input.color === "red") {
    const background = "var(--bad-text)";
    return { ...colors, background, hover: background, color: "var(--raised)" };
  }
  return isAccent ? { ...colors, color: "var(--accent-ink)" } : colors;
};

/** Fields take the direction of their text. Mantine puts a `dir` prop on the wrapper instead. */
const autoDirection = { input: { dir: "auto" } };

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
  // The options are plain objects. A call of `Menu.extend` would add the code of Mantine's menu to
  // the scripts that every page loads first.
  components: {
    Button: { defaultProps: { fw: 600 } },
    InputWrapper: { defaultProps: { withAsterisk: false } },
    TextInput: { defaultProps: { attributes: autoDirection } },
    Textarea: { defaultProps: { attributes: autoDirection } },
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray" } },
    Menu: { defaultProps: { shadow: "md", radius: "md" } },
    Popover: { defaultProps: { shadow: "md", radius: "md" } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    Modal: {
      defaultProps: {
        radius: "lg",
        centered: true,
        closeButtonProps: { "aria-label": "Close" },
        // With its default role, the modal's <header> element would count as a second banner
        // landmark of the page.
        attributes: { header: { role: "presentation" } },
      },
    },
  },
});

/** Mantine's colour variables, set to tokens.css so that there is one palette. */
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
