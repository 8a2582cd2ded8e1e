import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useSettled } from './use-load.ts';

/** An action or a page. */
export interface Command {
  readonly label: string;
  /** The kind of entry. */
  readonly hint: string;
  readonly run: () => void;
}

interface PaletteProps {
  /** What `find` finds, for the hint in the empty field. */
  readonly finds: string;
  readonly commands: readonly Command[];
  /** Further matches; requested when the user pauses typing. */
  readonly find: (typed: string) => Promise<readonly Command[]>;
}

const isOpen = signal(false);

export function openPalette(): void {
  isOpen.value = true;
}

addEventListener('keydown', (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return;
  event.preventDefault();
  isOpen.value = !isOpen.value;
});

export function Palette(props: PaletteProps) {
  return isOpen.value ? <OpenPalette {...props} /> : null;
}

const SHOWN = 30;

function OpenPalette({ finds, commands, find }: PaletteProps) {
  const element = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const found = useFound(find, typed);
  const matches = [...commands.filter(({ label }) => isMatch(label, typed)), ...found].slice(0, SHOWN);
  useLayoutEffect(() => element.current?.showModal(), []);
  useEffect(() => setAt(0), [typed]);
  useEffect(() => element.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }), [at]);
  const close = (): void => {
    isOpen.value = false;
  };
  const pick = (command: Command | undefined): void => {
    close();
    command?.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const move = ({ ArrowDown: 1, ArrowUp: -1 } as Readonly<Record<string, number>>)[event.key];
    if (move !== undefined) setAt((at + move + matches.length) % Math.max(1, matches.length));
    else if (event.key === 'Enter') pick(matches[at]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={element} class="palette" aria-label="Go to" onClose={close} onClick={(event) => event.target === element.current && close()}>
      <input type="text" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant={matches.length > 0 ? `palette-${at}` : undefined} aria-label={`Page, ${finds} or command`} placeholder={`Page, ${finds} or command`} autoFocus value={typed} onInput={(event) => setTyped(event.currentTarget.value)} onKeyDown={onKey} />
      <ul id="palette-list" role="listbox" aria-label="Matches">
        {matches.map((command, index) => (
          <li key={`${command.hint} ${command.label}`} id={`palette-${index}`} role="option" aria-selected={index === at} onMouseMove={() => setAt(index)} onClick={() => pick(command)}><span>{command.label}</span><span class="muted small">{command.hint}</span></li>
        ))}
      </ul>
    </dialog>
  );
}

/** Matches all typed words, in any order. */
function isMatch(label: string, typed: string): boolean {
  const text = label.toLowerCase();
  return typed.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

function useFound(find: PaletteProps['find'], typed: string): readonly Command[] {
  const [found, setFound] = useState<readonly Command[]>([]);
  const settled = useSettled(typed.trim(), 120);
  useEffect(() => {
    let isLatest = true;
    find(settled).then((commands) => isLatest && setFound(commands), () => isLatest && setFound([]));
    return () => {
      isLatest = false;
    };
  }, [settled]);
  return found;
}
