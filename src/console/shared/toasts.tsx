import { signal } from '@preact/signals';
import { messageOf } from './ask.ts';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
}

const toasts = signal<readonly Toast[]>([]);
let last = 0;

/** Shows a line for some seconds; failures stay longer. */
export function showToast(text: string, isBad = false): void {
  const id = ++last;
  toasts.value = [...toasts.value, { id, text, isBad }];
  setTimeout(() => {
    toasts.value = toasts.value.filter((toast) => toast.id !== id);
  }, isBad ? 9000 : 4000);
}

/** Runs an action for the user and shows whether it succeeded. Returns true on success. */
export async function attempt(action: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await action();
    if (done !== undefined) showToast(done);
    return true;
  } catch (error) {
    showToast(messageOf(error), true);
    return false;
  }
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isBad }) => <div key={id} class={isBad ? 'toast bad' : 'toast'}>{text}</div>)}
    </div>
  );
}
