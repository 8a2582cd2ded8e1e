import { attempt } from './toasts.tsx';

/** A text that is needed elsewhere, with a button that copies it. Browsers let pages copy over HTTPS and on localhost only. */
export function CopyText({ text, label }: { readonly text: string; readonly label: string }) {
  const canCopy = 'clipboard' in navigator;
  return (
    <span class="copy">
      <code>{text}</code>
      {canCopy && <button class="small" aria-label={label} onClick={() => void attempt(() => navigator.clipboard.writeText(text), 'Copied')}>Copy</button>}
    </span>
  );
}
