import type { WikiDocument } from '../../../convert/wiki/index.ts';
import type { Row, Sql } from '../../../storage/index.ts';
import { type BatchItem, identify, inList, parseMeta } from '../../documents/index.ts';

export interface PageItemOptions {
  readonly collection: string;
  readonly lang: string;
  readonly saveRevision: boolean;
}

interface StoredRow extends Row {
  readonly id: string;
  readonly meta: string;
}

/**
 * The pages of a batch as items to write. Titles of a wiki are case-sensitive and keys are not: if the key of a page
 * belongs to another page of the wiki, in this batch or stored before, the id of the page is appended to the key, so
 * that no page overwrites another. Pages that are imported again get their own key.
 */
export async function toItems(sql: Pick<Sql, 'all'>, documents: readonly WikiDocument[],
  options: PageItemOptions): Promise<BatchItem[]>
{
  const owners = await storedOwners(sql, documents, options);
  return documents.map((document) => {
    const own = document.meta['wiki_id']?.[0] ?? '';
    const id = idOf(document.key, options);
    const owner = owners.get(id);
    const isFree = owner === undefined || owner === own;
    if (isFree) owners.set(id, own);
    return {
      key: isFree ? document.key : `${document.key}~${own}`,
      lang: options.lang,
      contentMd: document.contentMd,
      meta: document.meta,
      saveRevision: options.saveRevision,
      ...refusal(document),
    };
  });
}

/** The id of the stored page, by document. Documents from other sources have none. */
async function storedOwners(sql: Pick<Sql, 'all'>, documents: readonly WikiDocument[],
  options: PageItemOptions): Promise<Map<string, string>>
{
  const { marks, params } = inList([...new Set(documents.map(({ key }) => idOf(key, options)))]);
  const rows = await sql.all<StoredRow>(`SELECT d.id, d.meta FROM documents d WHERE d.id IN (${marks})`, params);
  return new Map(rows.flatMap(({ id, meta }) => {
    const owner = parseMeta(meta)['wiki_id']?.[0];
    return owner === undefined ? [] : [[id, owner] as const];
  }));
}

const idOf = (key: string, { collection, lang }: PageItemOptions): string => identify(collection, key, lang).id;

function refusal({ problem }: WikiDocument): Pick<BatchItem, 'refused'> | undefined {
  return problem === undefined ? undefined : { refused: problem };
}
