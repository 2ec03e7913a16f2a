/** The four looks that a page must be seen in. */
export const themes = ['light', 'dark', 'high-contrast-dark', 'high-contrast-light'] as const;
export type Theme = (typeof themes)[number];

/** The names as 1.112 has them; newer versions know them as old names of the same themes. */
export const themeSetting: Readonly<Record<Theme, string>> = {
  'light': 'Default Light Modern',
  'dark': 'Default Dark Modern',
  'high-contrast-dark': 'Default High Contrast',
  'high-contrast-light': 'Default High Contrast Light',
};

/** The class that VS Code gives its root element when the theme is shown. */
export const themeClass: Readonly<Record<Theme, string>> = { 'light': 'vs', 'dark': 'vs-dark', 'high-contrast-dark': 'hc-black', 'high-contrast-light': 'hc-light' };
