import { type Command, InvalidArgumentError } from 'commander';
import { type ChangeObject, diffLines, formatPatch, OMIT_HEADERS, structuredPatch,
  type StructuredPatchHunk } from 'diff';
import { styleText } from 'node:util';
import type { Revision } from '../../../../generated/docs/sdk/types.gen.ts';
import { CommandError, runCommand } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { isColoured, note, type OutputOptions, writeJson } from '../shared/output.ts';
import { ServiceFailure } from '../shared/service-failure.ts';
import { openService, type Service } from '../shared/service.ts';
import { type Address, documentCommand, type DocumentOptions } from './documents.ts';

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

const EXAMPLES = `
Revisions are numbers as \`quire history\` lists them. Without numbers the newest version is compared with the one before.

Examples:
  $ quire diff blog hello
  $ quire diff blog hello 3        # what has changed since revision 3
  $ quire diff blog hello 3 5
`;

/** `quire diff`: shows the difference between two versions of a document. */
export function registerDiff(program: Command, io: Io): void {
  documentCommand(program, 'diff', 'show what has changed between two versions of a document').argument('[from]',
    'revision to begin with', revisionNumber).argument('[to]', 'revision to end with', revisionNumber).addHelpText(
      'after',
      EXAMPLES,
    ).action((collection: string, key: string, from: number | undefined, to: number | undefined,
      options: DocumentOptions) =>
      runCommand('diff', io, () => diff({ collection, key, lang: options.lang }, [from, to], options, io))
    );
}

function revisionNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Expected the number of a revision.');
  return Number(text);
}

async function diff(address: Address, [from, to]: readonly [number | undefined, number | undefined],
  options: DocumentOptions, io: Io): Promise<void>
{
  const [older, newer] = await versions(openService(options), address, from, to);
  const names = [older, newer].map(({ revision }) => `${address.key} revision ${revision}`) as [string, string];
  const lines = unifiedDiff(older.contentMd ?? '', newer.contentMd ?? '', names);
  if (options.json === true) return writeJson(io, { from: older.revision, to: newer.revision, diff: lines.join('\n') });
  writeLines(io.stdout, coloured(lines, io, options));
  if (lines.length === 0)
    note(io, options, [`the text of revisions ${older.revision} and ${newer.revision} is the same`]);
}

/**
 * Returns the two versions to compare: by default the previous and the newest one, otherwise those with the given
 * numbers.
 */
async function versions(service: Service, address: Address, from: number | undefined,
  to: number | undefined): Promise<readonly [Revision, Revision]>
{
  const seen: Revision[] = [];
  const find = (number: number | undefined, place: number): Revision
    | undefined => (number === undefined ? seen[place] : seen.find(({ revision }) => revision === number));
  for await (const page of service.pages('listRevisions', { ...address, includeContent: true, limit: 20 })) {
    seen.push(...page as Revision[]);
    const found = [find(from, 1), find(to, 0)] as const;
    if (found[0] !== undefined && found[1] !== undefined) return [found[0], found[1]];
  }
  const missing = [from, to].filter((number) => number !== undefined && find(number, 0) === undefined);
  if (missing.length === 0) throw new CommandError(`${address.key} has one version only`);
  throw new ServiceFailure(
    `${address.key} has no revision ${
      missing.join(' and ')
    }: \`quire history ${address.collection} ${address.key}\` lists them`,
    404,
  );
}

/** Colours removed lines red and added lines green, as git does. */
export function coloured(lines: readonly string[], io: Io, options: OutputOptions): readonly string[] {
  if (!isColoured(io.stdout, options)) return lines;
  return lines.map((line, index) => {
    const style = index < 2
      ? 'bold'
      : line.startsWith('@@')
      ? 'cyan'
      : line.startsWith('-')
      ? 'red'
      : line.startsWith('+')
      ? 'green'
      : undefined;
    return style === undefined ? line : styleText(style, line, { validateStream: false });
  });
}
