// Pandoc and pdftotext as peers, if they are on the path.
import { execFileSync, spawnSync } from 'node:child_process';

const FORMATS: Readonly<Record<string, string>> = { docx: 'docx', odt: 'odt', rtf: 'rtf', html: 'html', tex: 'latex' };
/** Files whose title is a heading of the text; pandoc writes it into the front matter. */
const WITH_TITLE = new Set(['docx', 'tex']);
const DIALECTS = ['gfm', 'gfm-raw_html'];

export function isInstalled(program: string): boolean {
  return spawnSync(program, ['-v'], { stdio: 'ignore' }).error === undefined;
}

export function pandocArguments(kind: string, file: string, dialect = 'gfm'): string[] {
  return ['-f', FORMATS[kind]!, '-t', dialect, '--wrap=none', ...(WITH_TITLE.has(kind) ? ['-s'] : []), file];
}

/**
 * Pandoc's output for a file, with and without raw HTML: the comparison takes the better one. Empty if it cannot read
 * the file.
 */
export function pandocMarkdown(kind: string, file: string): string[] {
  return DIALECTS.map((dialect) => run('pandoc', pandocArguments(kind, file, dialect)));
}

export function pdftotext(file: string): string {
  return run('pdftotext', ['-layout', file, '-']);
}

function run(program: string, given: readonly string[]): string {
  try {
    return execFileSync(program, given, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 30 });
  } catch {
    return '';
  }
}
