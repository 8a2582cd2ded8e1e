import { type ChangeObject, diffLines, formatPatch, OMIT_HEADERS, structuredPatch,
  type StructuredPatchHunk } from 'diff';

/**
 * Above this number of edits, the texts count as entirely different, because the work grows with the square of the
 * edits.
 */
const LIMIT = { maxEditLength: 2000 };

/**
 * Which lines both texts have, and which only one: removed lines stand before the lines that were added in their place.
 */
export function compareLines(first: string,
  second: string): Pick<ChangeObject<string>, 'value' | 'added' | 'removed'>[]
{
  const [before, after] = [ended(first), ended(second)];
  const replaced = [{ value: before, removed: true, added: false }, { value: after, removed: false, added: true }];
  return diffLines(before, after, LIMIT) ?? replaced;
}

/** The changes with three lines around them, in the format of `diff -u`; empty if nothing differs. */
export function unifiedDiff(first: string, second: string, [from, to]: readonly [string, string]): string[] {
  const [before, after] = [ended(first), ended(second)];
  if (before === after) return [];
  const patch = structuredPatch(from, to, before, after, undefined, undefined, { ...LIMIT, context: 3 });
  const hunks = patch?.hunks ?? [replacement(linesOf(before), linesOf(after))];
  const text = formatPatch({ oldFileName: from, newFileName: to, oldHeader: undefined, newHeader: undefined, hunks },
    OMIT_HEADERS);
  return [`--- ${from}`, `+++ ${to}`, ...linesOf(text)];
}

function replacement(before: readonly string[], after: readonly string[]): StructuredPatchHunk {
  const lines = [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
  return { oldStart: 1, oldLines: before.length, newStart: 1, newLines: after.length, lines };
}

/** A line break at the end of a text is no difference. */
const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

/** The lines of a text that ends with a line break. */
export const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);
