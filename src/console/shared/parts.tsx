import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ago, dateTime } from './format.ts';
import { Icon, type IconName } from './icons.tsx';
import type { Loaded } from './use-load.ts';

type Children = { readonly children?: ComponentChildren };

interface PageProps extends Children {
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
  /** The places above this one, from the top. */
  readonly crumbs?: readonly (readonly [label: string, address: string])[];
}

export function Page({ title, about, actions, crumbs = [], children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Quire`;
  }, [title]);
  return (
    <div class="page">
      {crumbs.length > 0 && <nav class="crumbs" aria-label="Above">{crumbs.map(([label, address]) => <span key={address}><a href={address}>{label}</a> /</span>)}</nav>}
      <header class="page-head">
        <div class="grow"><h1>{title}</h1>{about !== undefined && <p>{about}</p>}</div>
        {actions !== undefined && <div class="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** Shows what was loaded, the error, or that it is loading. Earlier data stays visible if a later load fails. */
export function Await<T>({ of, children }: { readonly of: Loaded<T>; readonly children: (data: T) => ComponentChildren }) {
  const problem = of.error !== undefined && <div class="notice bad" role="alert">{of.error} <button class="plain" onClick={of.reload}>Try again</button></div>;
  if (of.data === undefined) return problem || <p class="muted" role="status">Loading…</p>;
  return <>{problem}{children(of.data)}</>;
}

export function Empty({ children }: Children) {
  return <div class="empty">{children}</div>;
}

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | '';

export function Badge({ tone = '', children }: Children & { readonly tone?: Tone }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

export function Time({ at }: { readonly at: number | null | undefined }) {
  if (at == null || at === 0) return <span class="muted">–</span>;
  return <time class="nowrap" dateTime={new Date(at * 1000).toISOString()} title={dateTime(at)}>{ago(at)}</time>;
}

interface TableProps extends Children {
  readonly label: string;
  /** Titles of the columns; columns whose title ends with `#` contain numbers. */
  readonly columns: readonly string[];
  /**
   * On a phone each row is two lines: cells of the class `top` above, the others below them. Absent: a card with a line
   * for each cell.
   */
  readonly isBrief?: boolean;
}

/** From this number of columns on, rows are cards on a phone, because the last columns would be out of sight. Actions count twice. */
const WIDE = 5;

export function Table({ label, columns, isBrief = false, children }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const isWide = columns.length + (columns.at(-1) === '' ? 1 : 0) >= WIDE;
  // The style of cards shows the title of the column in each cell.
  useLayoutEffect(() => {
    for (const row of body.current!.rows) for (const cell of row.cells) cell.dataset['title'] = columns[cell.cellIndex]?.replace('#', '') ?? '';
  });
  return (
    <div class={isBrief ? 'table brief' : isWide ? 'table wide' : 'table'} role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead><tr>{columns.map((title) => <th key={title} class={title.endsWith('#') ? 'num' : ''} scope="col">{title === '' ? <span class="visually-hidden">Actions</span> : title.replace('#', '')}</th>)}</tr></thead>
        <tbody ref={body}>{children}</tbody>
      </table>
    </div>
  );
}

export function Field({ label, hint, full = false, children }: Children & { readonly label: string; readonly hint?: string; readonly full?: boolean }) {
  return <label class={full ? 'field full' : 'field'}><span>{label}</span>{children}{hint !== undefined && <small>{hint}</small>}</label>;
}

interface ChoiceProps<V extends string> {
  readonly value: V;
  readonly options: readonly (V | readonly [V, string])[];
  readonly onChange: (value: V) => void;
  readonly label?: string;
}

export function Choice<V extends string>({ value, options, onChange, label }: ChoiceProps<V>) {
  return (
    <select value={value} aria-label={label} onChange={(event) => onChange(event.currentTarget.value as V)}>
      {options.map((option) => {
        const [name, shown] = typeof option === 'string' ? [option, option] : option;
        return <option key={name} value={name}>{shown}</option>;
      })}
    </select>
  );
}

interface TabsProps<V extends string> {
  readonly value: V;
  readonly options: readonly (readonly [V, string])[];
  readonly onChange: (value: V) => void;
  readonly label: string;
}

/** Arrow keys move between the tabs, as users of screen readers expect. */
export function Tabs<V extends string>({ value, options, onChange, label }: TabsProps<V>) {
  const step = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const move = ({ ArrowRight: 1, ArrowLeft: -1 } as Readonly<Record<string, number>>)[event.key];
    if (move === undefined) return;
    const at = options.findIndex(([name]) => name === value);
    onChange(options[(at + move + options.length) % options.length]![0]);
    const buttons = event.currentTarget.querySelectorAll('button');
    buttons[(at + move + options.length) % options.length]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={step}>
      {options.map(([name, shown]) => (
        <button key={name} role="tab" aria-selected={name === value} tabIndex={name === value ? 0 : -1} onClick={() => onChange(name)}>{shown}</button>
      ))}
    </div>
  );
}

/** The browser's native dialog: Escape closes it, and the focus stays in it. */
export function Dialog({ title, onClose, children }: Children & { readonly title: string; readonly onClose: () => void }) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => element.current?.showModal(), []);
  return (
    <dialog ref={element} aria-label={title} onClose={onClose}>
      <div class="row apart"><h2>{title}</h2><button class="plain icon" aria-label="Close" onClick={onClose}><Icon name="close" /></button></div>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  readonly label: string;
  readonly icon?: IconName;
  /** A sentence that says what will happen. */
  readonly says: string;
  readonly onConfirm: () => unknown;
}

/** A button that asks for confirmation before an action that cannot be undone. */
export function Confirm({ label, icon, says, onConfirm }: ConfirmProps) {
  const [asks, setAsks] = useState(false);
  return (
    <>
      <button class="danger" onClick={() => setAsks(true)}>{icon !== undefined && <Icon name={icon} />}{label}</button>
      {asks && (
        <Dialog title={label} onClose={() => setAsks(false)}>
          <p>{says}</p>
          <div class="row end">
            <button onClick={() => setAsks(false)}>Cancel</button>
            <button class="primary" onClick={() => { setAsks(false); onConfirm(); }}>{label}</button>
          </div>
        </Dialog>
      )}
    </>
  );
}

export function Facts({ of }: { readonly of: readonly (readonly [string, ComponentChildren])[] }) {
  return <dl class="facts">{of.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>])}</dl>;
}
