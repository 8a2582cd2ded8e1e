import type { ComponentChildren } from 'preact';
import { Icon } from './icons.tsx';

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
