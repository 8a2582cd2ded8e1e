import type { MetaRow } from './meta-rows.ts';

/** Changes to a document that are not saved yet. */
export interface Draft {
  /** Who has made them. */
  readonly user: string;
  readonly text: string;
  readonly rows: readonly MetaRow[];
  /** Of the version that was changed. */
  readonly checksum?: string | undefined;
}

const PREFIX = 'quire-draft:';

/**
 * Keeps a draft in this tab: it outlives a reload, and signing in at another site. A draft that is too large is not
 * kept.
 */
export function keepDraft(name: string, draft: Draft): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(draft));
  } catch {
    dropDraft(name);
  }
}

/** The draft of this user; undefined if there is none. */
export function readDraft(name: string, user: string): Draft | undefined {
  const kept = JSON.parse(sessionStorage.getItem(PREFIX + name) ?? 'null') as Draft | null;
  return kept?.user === user ? kept : undefined;
}

export function dropDraft(name: string): void {
  sessionStorage.removeItem(PREFIX + name);
}
