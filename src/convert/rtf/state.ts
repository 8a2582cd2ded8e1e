import type { Look } from '../tree/inlines.ts';

/** Where the text of a group goes. */
export type Destination = 'body' | 'skip' | 'fonts' | 'styles' | 'lists' | 'overrides' | 'info' | 'instruction' | 'marker';

/** What a group inherits from the one around it, and loses at its end. */
export interface GroupState {
  destination: Destination;
  font: number | undefined;
  strong: boolean;
  emphasis: boolean;
  strike: boolean;
  hidden: boolean;
  /** Characters that stand for one of `\u`, for readers without Unicode. */
  fallback: number;
  field: Field | undefined;
  /** Whether text is the result of the field. */
  result: boolean;
  /** The field of the document information that is read, such as `title`. */
  info: string | undefined;
  /** What happens at the end of the group. */
  atEnd: (() => void) | undefined;
}

export interface Field {
  instruction: string;
}

export const INITIAL: GroupState = {
  destination: 'body', font: undefined, strong: false, emphasis: false, strike: false, hidden: false, fallback: 1, field: undefined, result: false, info: undefined, atEnd: undefined,
};

/** What `\pard` sets back. */
export interface ParagraphState {
  style: number | undefined;
  outline: number | undefined;
  list: number | undefined;
  level: number;
  inTable: boolean;
  /** A list of the old kind, which has no number in a table of lists. */
  marker: { ordered: boolean } | undefined;
}

export function newParagraph(): ParagraphState {
  return { style: undefined, outline: undefined, list: undefined, level: 0, inTable: false, marker: undefined };
}

const HYPERLINK = /^\s{0,20}HYPERLINK\s{1,20}(?!\\l)"?([^"\s]{1,4000})"?/i;

export function lookOf(state: GroupState, code: boolean): Look {
  const href = state.result && state.field !== undefined ? HYPERLINK.exec(state.field.instruction)?.[1] : undefined;
  return { ...(state.strong ? { strong: true } : {}), ...(state.emphasis ? { emphasis: true } : {}), ...(state.strike ? { strike: true } : {}), ...(code ? { code } : {}), ...(href === undefined ? {} : { href }) };
}
