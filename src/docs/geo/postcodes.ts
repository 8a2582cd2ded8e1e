import { Pace } from '../../lib/pace.ts';
import { GEO_KEYS, type Point, type PostcodeLookup } from '../../search/geo/index.ts';
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
export function plainPostcode(postcode: string): string {
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
