import { createHash } from 'node:crypto';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { ServiceError } from '../../errors/index.ts';
import { Pace } from '../../lib/pace.ts';
import { degreesOf, GEO_KEYS, type Point, type PostcodeLookup } from '../../search/geo/index.ts';
import { inList, type Queries, type Sql, type Transaction } from '../../storage/index.ts';

/** Maximum number of postcodes that one statement reads or writes. */
const STEP = 128;

interface PostcodeRow {
  readonly country: string;
  readonly postcode: string;
  readonly lat: number;
  readonly lng: number;
}

/** Postcodes are compared in capitals and without blanks, because blanks are often omitted. */
function plainPostcode(postcode: string): string {
  return postcode.toUpperCase().replaceAll(/\s/g, '');
}

export function plainCountry(country: string): string {
  return country.trim().toUpperCase();
}

/** The places of the postcodes of some documents; documents without a postcode in their metadata cost nothing. */
export async function lookUpPostcodes(queries: Queries,
  metas: Iterable<Readonly<Record<string, readonly string[]>>>): Promise<PostcodeLookup>
{
  const byCountry = new Map<string, Set<string>>();
  for (const meta of metas) {
    const [country, postcode] = [meta[GEO_KEYS.country]?.[0], meta[GEO_KEYS.postcode]?.[0]];
    if (country === undefined || postcode === undefined) continue;
    const wanted = byCountry.get(plainCountry(country)) ?? new Set();
    byCountry.set(plainCountry(country), wanted.add(plainPostcode(postcode)));
  }
  const found = new Map<string, Point>();
  for (const [country, postcodes] of byCountry) {
    for (const some of inSteps([...postcodes])) {
      const { marks, params } = inList(some);
      const rows = await queries.all<PostcodeRow & Record<string, string | number>>(
        `SELECT country, postcode, lat, lng FROM postcodes WHERE country = ? AND postcode IN (${marks})`,
        [country, ...params],
      );
      for (const { postcode, lat, lng } of rows) found.set(`${country} ${postcode}`, { lat, lng });
    }
  }
  return (country, postcode) => found.get(`${plainCountry(country)} ${plainPostcode(postcode)}`);
}

/** The file from which the postcodes of a country were loaded. */
export interface LoadedFile {
  /** In capitals. */
  readonly country: string;
  /** Path within the folder of postcode files. */
  readonly csvPath: string;
  readonly sha256: string;
}

/** Prefix of the rows of `settings` that record these files, by country. */
const LOADED = 'postcode_file:';

/** Replaces the postcodes of a country, and records the file that they were loaded from. */
export async function replacePostcodes(sql: Sql, { country, csvPath, sha256 }: LoadedFile,
  postcodes: ReadonlyMap<string, Point>): Promise<void>
{
  const pace = new Pace();
  await sql.transaction(async (tx) => {
    await tx.run('DELETE FROM postcodes WHERE country = ?', [country]);
    for (const some of inSteps([...postcodes])) {
      const values = some.flatMap(([postcode, { lat, lng }]) => [country, postcode, lat, lng]);
      await tx.run(
        `INSERT INTO postcodes(country, postcode, lat, lng) VALUES ${some.map(() => '(?, ?, ?, ?)').join(', ')}`,
        values,
      );
      await pace.rest();
    }
    await keepLoadedFile(tx, { country, csvPath, sha256 });
  });
}

/** Records the file from which the postcodes of a country were loaded. */
export async function keepLoadedFile(tx: Transaction, { country, csvPath, sha256 }: LoadedFile): Promise<void> {
  await tx.run('INSERT INTO settings(name, value) VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET value = excluded.value',
    [LOADED + country, JSON.stringify({ csvPath, sha256 })]);
}

/** The files that postcodes were loaded from. */
export async function readLoadedFiles(queries: Queries): Promise<LoadedFile[]> {
  const rows = await queries.all<{ name: string; value: string }>(
    `SELECT name, value FROM settings WHERE name >= ? AND name < ? ORDER BY name`,
    [LOADED, LOADED.replace(':', ';')],
  );
  return rows.map(({ name, value }) => ({
    country: name.slice(LOADED.length),
    ...(JSON.parse(value) as Omit<LoadedFile, 'country'>),
  }));
}

/** Number of postcodes by country. */
export async function countPostcodes(queries: Queries): Promise<Record<string, number>> {
  const rows = await queries.all<{ country: string; n: number }>(
    'SELECT country, count(*) AS n FROM postcodes GROUP BY country ORDER BY country',
  );
  return Object.fromEntries(rows.map(({ country, n }) => [country, n]));
}

function* inSteps<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += STEP) yield items.slice(i, i + STEP);
}

/** Maximum postcodes and bytes of one file: the countries with the most postcodes have about two million. */
const MAX_POSTCODES = 5_000_000;
const MAX_BYTES = 512 * 2 ** 20;
const MAX_POSTCODE = 32;

/** Bytes that are hashed in one step. */
const PIECE = 256 * 1024;

interface PostcodeFile {
  readonly places: Map<string, Point>;
  /** SHA-256 of its bytes. */
  readonly sha256: string;
}

/**
 * The places of a file of `postcode,lat,lng`, without a header, by normalized postcode; of a postcode with several
 * places the first one counts. The file must be in the folder after links are resolved. Throws `invalid_argument`, with
 * the same message for missing files and files outside, so that other folders cannot be probed; for a malformed file
 * the message names the line.
 */
export async function readPostcodeFile(folder: string, csvPath: string, name: string): Promise<PostcodeFile> {
  const file = await openInside(folder, csvPath);
  if (file === undefined)
    throw new ServiceError('invalid_argument',
      `${name} must name a file in the server's geo data folder (SVC_GEO_DATA_DIR)`);
  try {
    const { size } = await file.stat();
    if (size > MAX_BYTES)
      throw new ServiceError('invalid_argument', `${name} must name a file of at most ${MAX_BYTES} bytes`);
    // Hashed first: if the file changes meanwhile, the hash is outdated, and the file is loaded again.
    const sha256 = await hashOf(file);
    return { places: await readLines(file, name), sha256 };
  } finally {
    await file.close();
  }
}

/** SHA-256 of a file in the folder; undefined if there is no such file. */
export async function hashPostcodeFile(folder: string, csvPath: string): Promise<string | undefined> {
  const file = await openInside(folder, csvPath);
  try {
    return file && (await hashOf(file));
  } finally {
    await file?.close();
  }
}

/** Does not change the current position of the file. */
async function hashOf(file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(PIECE);
  for (let at = 0; at <= MAX_BYTES;) {
    const { bytesRead } = await file.read(buffer, 0, PIECE, at);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash.digest('hex');
}

/** Undefined if there is no such file in the folder. */
async function openInside(folder: string, csvPath: string): Promise<FileHandle | undefined> {
  try {
    if (isAbsolute(csvPath)) return undefined;
    const [root, path] = [await realpath(folder), await realpath(join(folder, csvPath))];
    const inside = relative(root, path);
    if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return undefined;
    const file = await open(path);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return undefined;
  } catch {
    return undefined;
  }
}

async function readLines(file: FileHandle, name: string): Promise<Map<string, Point>> {
  const places = new Map<string, Point>();
  const pace = new Pace();
  let number = 0;
  for await (const line of file.readLines({ autoClose: false })) {
    number += 1;
    if (line.trim() === '') continue;
    const read = readLine(line.replace(/^\uFEFF/, ''));
    if (read === undefined)
      throw new ServiceError('invalid_argument', `${name}: line ${number} must be postcode,lat,lng`);
    if (!places.has(read.postcode)) places.set(read.postcode, read.point);
    if (places.size > MAX_POSTCODES)
      throw new ServiceError('invalid_argument', `${name} must have at most ${MAX_POSTCODES} postcodes`);
    await pace.rest();
  }
  return places;
}

/** Undefined for a line that is not `postcode,lat,lng`. Fields may be quoted; further fields are ignored. */
function readLine(line: string): { postcode: string; point: Point } | undefined {
  const [postcode, lat, lng] = line.split(',', 3).map((field) => field.trim().replace(/^"(.*)"$/, '$1'));
  if (postcode === undefined || lat === undefined || lng === undefined) return undefined;
  const plain = plainPostcode(postcode);
  const point = { lat: degreesOf(lat, 90), lng: degreesOf(lng, 180) };
  if (plain === '' || plain.length > MAX_POSTCODE || point.lat === undefined || point.lng === undefined)
    return undefined;
  return { postcode: plain, point: { lat: point.lat, lng: point.lng } };
}
