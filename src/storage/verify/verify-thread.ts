/** The worker thread of `verify.ts`: it checks one file and returns one verdict. */
import { parentPort } from 'node:worker_threads';
import { type Image, openImage, type Verdict, type VerifyRequest } from './verify.ts';

/** Maximum number of reported findings of `integrity_check`, because a broken file can have thousands. */
const FINDINGS = 10;

parentPort!.on('message', async (request: VerifyRequest) => parentPort!.postMessage(await verdictOn(request)));

async function verdictOn({ file, knownFormat }: VerifyRequest): Promise<Verdict> {
  let image: Image | undefined;
  try {
    image = await openImage(file);
    const formatVersion = readFormat(image);
    const problems = [...damage(image), ...unknownFormat(image, formatVersion, knownFormat), ...feedGap(image)];
    return { ok: problems.length === 0, problems, formatVersion };
  } catch (error) {
    return { ok: false, problems: [error instanceof Error ? error.message : String(error)], formatVersion: undefined };
  } finally {
    image?.close();
  }
}

function damage(image: Image): string[] {
  const findings = image.rows(`PRAGMA integrity_check(${FINDINGS})`).map(([finding]) => String(finding));
  const orphans = image.rows('PRAGMA foreign_key_check').slice(0, FINDINGS);
  return [...findings.filter((finding) => finding !== 'ok'),
    ...orphans.map(([table, row, parent]) => `row ${row} of ${table} refers to a missing row of ${parent}`)];
}

function readFormat(image: Image): number | undefined {
  if (!hasTable(image, 'schema_version')) return undefined;
  return Number(image.rows('SELECT coalesce(max(version), 0) FROM schema_version')[0]![0]);
}

/** A newer format is refused only if one of its migrations is breaking, as `migrate` does. */
function unknownFormat(image: Image, format: number | undefined, knownFormat: number | undefined): string[] {
  if (knownFormat === undefined) return [];
  if (format === undefined) return ['the file is an SQLite database of another program'];
  const breaking = image.rows(`SELECT 1 FROM schema_version WHERE breaking = 1 AND version > ${Number(knownFormat)}`);
  return breaking.length > 0 ? [`the file has format ${format}, this build knows ${knownFormat}`] : [];
}

/** Log sequence numbers are consecutive; a missing one means a lost change. */
function feedGap(image: Image): string[] {
  if (!hasTable(image, 'changes')) return [];
  const [count, first, last] = image.rows('SELECT count(*), min(lsn), max(lsn) FROM changes')[0]!.map(Number);
  const expected = count === 0 ? 0 : last! - first! + 1;
  return count === expected ? [] : [`the change feed has a gap: ${count} entries from ${first} to ${last}`];
}

function hasTable(image: Image, name: string): boolean {
  return image.rows(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '${name}'`).length > 0;
}
