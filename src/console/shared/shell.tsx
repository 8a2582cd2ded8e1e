import { effect, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';
import { type Command, openPalette, Palette } from './palette.tsx';
import { place } from './router.ts';
import { session } from './session.ts';
import { Toasts } from './toasts.tsx';

export interface NavItem {
  readonly label: string;
  readonly icon: IconName;
  readonly address: string;
  /** Prefix of the places below it. */
  readonly under: readonly string[];
}

export interface NavGroup {
  readonly title?: string;
  readonly items: readonly NavItem[];
}

interface ShellProps {
  readonly service: string;
  readonly groups: readonly NavGroup[];
  /** The signed-in user. */
  readonly user?: string | undefined;
  /** Present if signing in is possible but not required for everything. */
  readonly onSignIn?: () => void;
  readonly onSignOut: () => void;
  /** What holds on every page, such as the end of the session. */
  readonly notice?: ComponentChildren;
  /** What `commands` finds: documents or runs. */
  readonly finds: string;
  /** Entries of the palette besides the places of the navigation. */
  readonly commands: (typed: string) => Promise<readonly Command[]>;
  readonly children: ComponentChildren;
}

const isOpen = signal(false);

/** The frame of every page: navigation, palette, messages. */
export function Shell({ service, groups, user, onSignIn, onSignOut, notice, finds, commands, children }: ShellProps) {
  const places = groups.flatMap(({ items }) => items).map(({ label, address }): Command => ({ label, hint: 'page', run: () => void (location.hash = address) }));
  const own: Command[] = [{ label: 'Change between light and dark', hint: 'command', run: nextTheme }, ...(session.value === undefined ? [] : [{ label: 'Sign out', hint: 'command', run: onSignOut }])];
  useEffect(() => {
    isOpen.value = false;
    scrollTo(0, 0);
  }, [place.value.path.join('/')]);
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>Skip to the content</a>
      <header class="topbar">
        <button class="plain icon" aria-label="Navigation" aria-expanded={isOpen.value} onClick={() => { isOpen.value = !isOpen.value; }}><Icon name="menu" /></button>
        <strong>{service}</strong>
        <button class="plain icon" aria-label="Go to" onClick={openPalette}><Icon name="search" /></button>
      </header>
      {isOpen.value && <button class="scrim" aria-label="Close the navigation" onClick={() => { isOpen.value = false; }} />}
      <Side service={service} groups={groups} user={user} onSignIn={onSignIn} onSignOut={onSignOut} />
      <main id="main" class="main" tabIndex={-1}>{notice}{children}</main>
      <Palette finds={finds} commands={[...places, ...own]} find={commands} />
      <Toasts />
    </div>
  );
}

function Side({ service, groups, user, onSignIn, onSignOut }: Pick<ShellProps, 'service' | 'groups' | 'user' | 'onSignOut'> & { readonly onSignIn: (() => void) | undefined }) {
  const [current = ''] = place.value.path;
  return (
    <aside class={isOpen.value ? 'side open' : 'side'} aria-label="Sidebar">
      <a class="brand" href="#/"><Icon name="quire" /><span>Quire<small>{service}</small></span></a>
      <button class="palette-hint" onClick={openPalette}>Go to… <kbd>Ctrl K</kbd></button>
      <nav class="nav" aria-label="Console">
        {groups.map(({ title, items }) => [
          title !== undefined && <h2 key={title}>{title}</h2>,
          items.map(({ label, icon, address, under }) => (
            <a key={address} href={address} aria-current={under.includes(current) ? 'page' : undefined} onClick={() => { isOpen.value = false; }}><Icon name={icon} />{label}</a>
          )),
        ])}
      </nav>
      <footer class="side-foot">
        {user !== undefined && <div class="row"><span>{user}</span>{session.value !== undefined && <button class="plain small" onClick={onSignOut}>Sign out</button>}</div>}
        {session.value === undefined && onSignIn !== undefined && <button onClick={onSignIn}>Sign in</button>}
        <div class="row"><a href="/docs">API reference</a><button class="plain icon" aria-label={`Theme: ${theme.value}`} title={`Theme: ${theme.value}`} onClick={nextTheme}><Icon name="sun" /></button></div>
      </footer>
    </aside>
  );
}

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
const STORE = 'quire-theme';

export const theme = signal<Theme>(THEMES.find((name) => name === localStorage.getItem(STORE)) ?? 'system');

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
  localStorage.setItem(STORE, theme.value);
});

/** Cycles from the system's theme to light, to dark, and back. */
function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!;
}

interface SignInProps {
  readonly title: string;
  readonly onSubmit: () => void;
  /** Present if some pages can be seen without signing in. */
  readonly onCancel?: () => void;
  readonly error: string | undefined;
  /** What is below the button. */
  readonly more?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The page of a service that requires a credential. */
export function SignInPage({ title, onSubmit, onCancel, error, more, children }: SignInProps) {
  return (
    <main class="sign-in">
      <form class="card stack" onSubmit={(event) => { event.preventDefault(); onSubmit(); }}>
        <div class="brand"><Icon name="quire" /><span>Quire</span></div>
        <h1>{title}</h1>
        {error !== undefined && <div class="notice bad" role="alert">{error}</div>}
        {children}
        <button class="primary" type="submit">Sign in</button>
        {more}
        {onCancel !== undefined && <button type="button" onClick={onCancel}>Look around without</button>}
      </form>
    </main>
  );
}
