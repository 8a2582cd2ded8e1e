import { effect, signal } from '@preact/signals';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const STORE = 'quire-theme';

export const theme = signal<Theme>(THEMES.find((name) => name === localStorage.getItem(STORE)) ?? 'system');

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
  localStorage.setItem(STORE, theme.value);
});

/** Cycles from the system's theme to light, to dark, and back. */
export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
}
