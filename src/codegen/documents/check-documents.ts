// Part of `npm run check`: whether every citation in the project and every relative link of its markdown pages
// resolves, whether the source files and settings that they name exist, whether the pages of rooms name their parts,
// whether their paragraphs are short, and whether their examples of curl work.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brokenCitations, type Cited } from './citations.ts';
import { linesOf, type MarkdownPage, readMarkdown, type Section } from './markdown.ts';
import { deadLinks, missingFiles, missingParts, namesOf, type Tree, unknownVariables, untypedBodies,
  variablesOf } from './references.ts';

const COLUMNS = 120;
const LINES = 6;

/** Lines that may not be broken: rows of tables, headings, targets of links, HTML. */
const UNBROKEN = /^\s*(?:\||#{1,6} |<|\[[^\]]+\]: )/;
const ITEM = /^\s*(?:[-*+]|\d+\.) /;

/** One line for each paragraph of a page that is above six lines, and for each line of one above 120 columns. */
export function longProse(file: string, text: string): string[] {
  const problems: string[] = [];
  let height = 0;
  for (const { content, line, isCode } of linesOf(text)) {
    const isProse = !isCode && content.trim() !== '' && !UNBROKEN.test(content);
    height = !isProse ? 0 : ITEM.test(content) ? 1 : height + 1;
    if (height === LINES + 1) problems.push(`${file}:${line - LINES}: the paragraph has more than ${LINES} lines`);
    if (isProse && content.length > COLUMNS && canBreak(content)) {
      problems.push(`${file}:${line}: the line has ${content.length} of at most ${COLUMNS} columns`);
    }
  }
  return problems;
}

/** A line that begins with a long address, after its marker, can be no shorter. */
function canBreak(line: string): boolean {
  return line.replace(ITEM, '').trim().lastIndexOf(' ', COLUMNS) > 0;
}

/**
 * Folders that contain no texts of this project, or texts by others, wherever they are; hidden folders are also
 * skipped.
 */
const SKIPPED = new Set(['node_modules', 'generated', 'dist', 'coverage', 'data']);
const FOREIGN = new Set(['src/app/demo/corpus']);
const TEXT = /\.(?:tsx?|js|md|yaml|graphql|proto|py|go|rs|java|cs|sh|pl|toml)$/;

const RUN_QUEUE_CONTRACT = 'docs/contract/run-queue.md';
const RUN_QUEUE_DECISIONS = 'docs/contract/run-queue-decisions.md';
const DESIGN = 'docs/architecture.md';
const CONTRACT = 'docs/contract/';
const DECISIONS = 'docs/decisions.md';
const SETTINGS = 'docs/settings.md';
const LOOPS = 'docs/loops.md';

/** Tells of files and settings that have gone. */
const HISTORY = new Set(['CHANGELOG.md', 'bench/RESULTS.md']);

/** Problems of the project in a folder, each with its location; empty if everything resolves. */
export function checkDocuments(root: string): string[] {
  const texts = new Map<string, string>();
  collect(root, '', texts);
  const pages = new Map(
    [...texts].filter(([path]) => path.endsWith('.md')).map(([path, text]) => [path, readMarkdown(text)]),
  );
  const tree: Tree = {
    has: (path) => !path.startsWith('..') && existsSync(join(root, path)),
    page: (path) => pages.get(path),
  };
  const cited = citedIn(pages);
  const present = [...texts].filter(([path]) => !HISTORY.has(path) && !isTestOfThis(path));
  const names = namesOf(texts.keys());
  const settings = variablesOf(texts.get(SETTINGS) ?? '');
  return [
    ...[...texts].filter(([path]) => path.endsWith('.md')).flatMap((
      [path, text],
    ) => [...untypedBodies(path, text), ...longProse(path, text)]),
    ...[...pages].flatMap(([path, page]) => deadLinks(path, page, tree)),
    ...[...texts].flatMap(([path, text]) => missingParts(path, text, texts.keys())),
    ...[...texts].filter(([path]) => !isTestOfThis(path)).flatMap(([path, text]) => brokenCitations(path, text, cited)),
    ...present.filter(([path]) => /\.(?:md|tsx?)$/.test(path)).flatMap(([path, text]) =>
      missingFiles(path, text, names)
    ),
    ...present.flatMap(([path, text]) => untoldLoops(path, text, texts.get(LOOPS) ?? '')),
    ...present.filter(([path]) => path.endsWith('.md')).flatMap(([path, text]) =>
      unknownVariables(path, text, settings)
    ),
  ];
}

/** Loops of a source that the page of loops does not name, with a link to the source. */
function untoldLoops(path: string, text: string, page: string): string[] {
  if (!path.startsWith('src/') || path.endsWith('.test.ts')) return [];
  return [...text.matchAll(/new Loop\(\{\s*name: '([^']+)'/g)].filter(([, name]) =>
    !page.includes(`[${name}](../${path})`)
  ).map(([, name]) => `${path}: ${LOOPS} does not tell of the loop ${name}`);
}

function collect(root: string, folder: string, texts: Map<string, string>): void {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.name.startsWith('.') || FOREIGN.has(path)) continue;
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) collect(root, path, texts);
    else if (entry.isFile() && TEXT.test(entry.name)) texts.set(path, readFileSync(join(root, path), 'utf8'));
  }
}

function citedIn(pages: ReadonlyMap<string, MarkdownPage>): Cited {
  const contract = [...pages].filter(([path]) => path.startsWith(CONTRACT));
  const sectionsOf = (path: string): readonly Section[] => pages.get(path)?.sections ?? [];
  const docs = contract.filter(([path]) => path !== RUN_QUEUE_CONTRACT && path !== RUN_QUEUE_DECISIONS).flatMap((
    [, { sections }],
  ) => sections);
  const design = sectionsOf(DESIGN);
  return {
    decisions: pages.get(DECISIONS)?.anchors ?? new Set(),
    sections: {
      contract: { docs, runs: sectionsOf(RUN_QUEUE_CONTRACT) },
      decisions: { docs, runs: sectionsOf(RUN_QUEUE_DECISIONS) },
      design: { docs: design, runs: design },
    },
  };
}

/** The tests of this check cite things that do not exist. */
function isTestOfThis(path: string): boolean {
  return path.startsWith('src/codegen/documents/') && path.endsWith('.test.ts');
}

if (import.meta.main) {
  const problems = checkDocuments(join(import.meta.dirname, '..', '..', '..'));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) console.error(`${problems.length} problems of documents`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
