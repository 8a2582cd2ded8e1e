import type { ComponentChildren } from 'preact';
import { Icon } from './icons.tsx';

/** The page of a service that asks for a credential first. */
export function SignInPage({ title, onSubmit, error, children }: { readonly title: string; readonly onSubmit: () => void; readonly error: string | undefined; readonly children: ComponentChildren }) {
  return (
    <main class="sign-in">
      <form class="card stack" onSubmit={(event) => { event.preventDefault(); onSubmit(); }}>
        <div class="brand"><Icon name="quire" /><span>Quire</span></div>
        <h1>{title}</h1>
        {error !== undefined && <div class="notice bad" role="alert">{error}</div>}
        {children}
        <button class="primary" type="submit">Sign in</button>
      </form>
    </main>
  );
}
