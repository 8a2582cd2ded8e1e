import type { Look } from '../tree/inlines.ts';

/** The destination of a group's text. */
export type Destination = 'body' | 'skip' | 'fonts' | 'styles' | 'lists' | 'overrides' | 'info' | 'instruction'
  | 'marker';

/** State that a group inherits from the enclosing one and that is restored at its end. */
export interface GroupState {
  destination: Destination;
  font: number | undefined;
  strong: boolean;
  emphasis: boolean;
  strike: boolean;
  hidden: boolean;
  /** Number of fallback characters after each `\u`, for readers without Unicode. */
  fallback: number;
  field: Field | undefined;
  /** Whether text is the result of a field. */
  result: boolean;
  /** The current field of the document information, such as `title`. */
  info: string | undefined;
  /** Action at the end of the group. */
  atEnd: (() => void) | undefined;
}

export interface Field {
  instruction: string;
}

export const INITIAL: GroupState = {
  destination: 'body',
  font: undefined,
  strong: false,
  emphasis: false,
  strike: false,
  hidden: false,
  fallback: 1,
  field: undefined,
  result: false,
  info: undefined,
  atEnd: undefined,
};

/** What `\pard` resets. */
export interface ParagraphState {
  style: number | undefined;
  outline: number | undefined;
  list: number | undefined;
  level: number;
  inTable: boolean;
  /** A list of the old kind, which has no number in a list table. */
  marker: { ordered: boolean } | undefined;
}

export function newParagraph(): ParagraphState {
  return { style: undefined, outline: undefined, list: undefined, level: 0, inTable: false, marker: undefined };
}

const HYPERLINK = /^\s{0,20}HYPERLINK\s{1,20}(?!\\l)"?([^"\s]{1,4000})"?/i;

export function lookOf(state: GroupState, code: boolean): Look {
  const href = state.result && state.field !== undefined ? HYPERLINK.exec(state.field.instruction)?.[1] : undefined;
  return {
    ...(state.strong ? { strong: true } : {}),
    ...(state.emphasis ? { emphasis: true } : {}),
    ...(state.strike ? { strike: true } : {}),
    ...(code ? { code } : {}),
    ...(href === undefined ? {} : { href }),
  };
}
