import type { SalvageReport } from '../../../storage/index.ts';

/** Lost documents that are listed; the rest is counted. */
const LISTED = 100;

/** The report of a repair, with a line for each table that had data and for each loss. */
export function describeSalvage({ tables, lostDocuments, notes }: SalvageReport): string[] {
  const lines = tables.filter(({ rows, damagedPages, damagedRows }) => rows + damagedPages + damagedRows > 0).map(
    ({ name, rows, damagedPages, damagedRows }) => {
      const damage = [...(damagedPages > 0 ? [`${damagedPages} damaged pages`] : []),
        ...(damagedRows > 0 ? [`${damagedRows} damaged rows`] : [])];
      return `${name}: ${rows} rows${damage.length > 0 ? `, passed over ${damage.join(' and ')}` : ''}`;
    },
  );
  const lost = lostDocuments.slice(0, LISTED).map(({ collection, key, lang }) =>
    `lost: ${key} (${lang}) of collection ${collection || '(unknown)'}`
  );
  const further = lostDocuments.length > LISTED ? [`lost: ${lostDocuments.length - LISTED} further documents`] : [];
  return [...lines, ...lost, ...further, ...notes];
}
