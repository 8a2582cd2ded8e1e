import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../shared/icons.tsx';
import { plural } from '../../shared/format.ts';
import { Await, Choice, Empty, Page } from '../../shared/parts.tsx';
import { href, place, setQuery } from '../../shared/router.ts';
import { useLoad, useSettled } from '../../shared/use-load.ts';
import { config } from '../config.ts';
import { NewDocument } from '../document/new.tsx';
import { Facets, Results } from './results.tsx';
import { readFilters, writeFilters, type Filters } from './filters.ts';
import { facetKeysOf, findPage, PAGE_SIZE, PASSAGES, type Found, type Way } from './find.ts';

const WAYS: readonly (readonly [Way, string])[] = [['words', 'by words'], ['meaning', 'by words and meaning']];

/** Searches a collection while the user types; without a query it lists the documents that were changed last. */
export function CollectionPage({ collection }: { readonly collection: string }) {
  const { q = '', way = 'words', offset = '0', filter: expression = '' } = place.value.query;
  const filters = readFilters(place.value.query);
  const [typed, setTyped] = useState(q);
  const [isNew, setIsNew] = useState(false);
  const query = useSettled(typed.trim(), 150);
  useEffect(() => {
    if (query !== q) setQuery({ q: query, offset: undefined });
  }, [query]);
  // Another address, such as that of the page before, has a query of its own.
  useEffect(() => {
    if (q !== query) setTyped(q);
  }, [q]);
  const keys = useLoad(() => facetKeysOf(collection), [collection]);
  const found = useLoad((signal) => findPage({ collection, query, way: way as Way, filters, expression, offset: Number(offset), facetKeys: keys.data ?? [], signal }), [collection, query, way, JSON.stringify(filters), expression, offset, keys.data]);
  const filter = (next: Filters): void => setQuery({ ...writeFilters(filters, next), offset: undefined });
  return (
    <Page title={collection} crumbs={[['Collections', '#/']]} actions={<>
      {config.value.vectorConfig?.enabled === true && <a class="button" href={href(['collections', collection, 'map'])}><Icon name="map" />Map</a>}
      <a class="button" href={href(['collections', collection, 'deleted'])}><Icon name="trash" />Deleted</a>
      <a class="button" href={href(['upload'], { collection })}><Icon name="upload" />Upload</a>
      <button class="primary" onClick={() => setIsNew(true)}><Icon name="plus" />New document</button>
    </>}>
      <div class="row">
        <div class="search-field grow"><Icon name="search" /><input type="search" aria-label={`Search ${collection}`} placeholder="Search as you type: words, &quot;phrases&quot;, AND, OR, NOT" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} /></div>
        {config.value.vectorConfig?.enabled === true && <div><Choice label="How to search" value={way as Way} options={WAYS} onChange={(chosen) => setQuery({ way: chosen === 'words' ? undefined : chosen, offset: undefined })} /></div>}
      </div>
      <div class="filter-field"><input type="text" aria-label="Filter" placeholder="Filter: year &gt;= 2020 AND tags = api" spellcheck={false} key={expression} defaultValue={expression} onChange={(event) => setQuery({ filter: event.currentTarget.value.trim() || undefined, offset: undefined })} /></div>
      <p class="muted small" role="status">{found.data === undefined ? '\u00a0' : summaryOf(found.data, query)}</p>
      <Await of={found}>{(data) => (
        <div class="split">
          <div>
            {data.hits.length === 0 ? <Nothing query={query} suggestions={data.suggestions} onChoose={setTyped} /> : <Results collection={collection} hits={data.hits} />}
            <Pager offset={Number(offset)} found={data} />
          </div>
          <Facets facets={data.facets} chosen={filters} onChange={filter} />
        </div>
      )}</Await>
      {isNew && <NewDocument collection={collection} onClose={() => setIsNew(false)} />}
    </Page>
  );
}

interface NothingProps {
  readonly query: string;
  readonly suggestions: readonly string[];
  readonly onChoose: (query: string) => void;
}

function Nothing({ query, suggestions, onChoose }: NothingProps) {
  if (query === '') return <Empty>There are no such documents.</Empty>;
  return (
    <Empty>
      <p>Nothing was found. Fewer words or filters find more.</p>
      {suggestions.length > 0 && <p>Did you mean {suggestions.map((suggestion) => <button key={suggestion} class="chip" onClick={() => onChoose(suggestion)}>{suggestion}</button>)}</p>}
    </Empty>
  );
}

function summaryOf({ total, isLeast, corrected }: Found, query: string): string {
  const counted = total === undefined ? 'The nearest documents first' : `${isLeast ? 'at least ' : ''}${plural(total, query === '' ? 'document' : 'match', query === '' ? 'documents' : 'matches')}`;
  return corrected === undefined ? counted : `${counted} for “${corrected}”`;
}

function Pager({ offset, found: { hits, total, next } }: { readonly offset: number; readonly found: Found }) {
  if (offset === 0 && next === undefined) return null;
  const to = (place: number): void => {
    setQuery({ offset: place === 0 ? undefined : String(place) });
    scrollTo(0, 0);
  };
  const step = total === undefined ? PASSAGES : PAGE_SIZE;
  return (
    <div class="row apart">
      <button disabled={offset === 0} onClick={() => to(Math.max(0, offset - step))}>Back</button>
      <span class="muted small">{total === undefined ? `Page ${Math.floor(offset / step) + 1}` : `${offset + 1}–${offset + hits.length}`}</span>
      <button disabled={next === undefined} onClick={() => next !== undefined && to(next)}>More</button>
    </div>
  );
}
