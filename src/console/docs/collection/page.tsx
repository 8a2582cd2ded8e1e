import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../../shared/icons.tsx';
import { count, plural } from '../../shared/format.ts';
import { Await, Badge, Choice, Empty, Page, Time } from '../../shared/parts.tsx';
import { href, place, setQuery } from '../../shared/router.ts';
import { useLoad, useSettled } from '../../shared/use-load.ts';
import { config } from '../session-life.ts';
import { NewDocument } from '../document/editor.tsx';
import { abilitiesOf, type Facet, type Filters, findPage, type Found, PAGE_SIZE, PASSAGES, readFilters, toggled, type Way, writeFilters } from './find.ts';
import { type Hit, type Passage, tagParts, withoutMarkup } from './passages.ts';
import { sourceLanguageOf } from '../document/source-language.ts';
import { documentAt } from '../places.ts';

const WAYS: readonly (readonly [Way, string])[] = [['meaning', 'by words and meaning'], ['words', 'by words']];

/** A load that waits for another one. */
const later = new Promise<never>(() => {});

/** Searches a collection while the user types; without a query it lists the documents that were changed last. */
export function CollectionPage({ collection }: { readonly collection: string }) {
  const { q = '', way: asked, offset = '0', filter: expression = '' } = place.value.query;
  const filters = readFilters(place.value.query);
  const [typed, setTyped] = useState(q);
  const [isNew, setIsNew] = useState(false);
  const query = useSettled(typed.trimStart(), 150);
  useEffect(() => {
    if (query !== q) setQuery({ q: query, offset: undefined });
  }, [query]);
  // Another address, such as that of the page before, has a query of its own.
  useEffect(() => {
    if (q !== query) setTyped(q);
  }, [q]);
  const { data: abilities } = useLoad(() => abilitiesOf(collection), [collection]);
  const way: Way = abilities?.hasMeaning === true && asked !== 'words' ? 'meaning' : 'words';
  const found = useLoad((signal) => (abilities === undefined ? later : findPage({ collection, query, way, filters, expression, offset: Number(offset), facetKeys: abilities.facetKeys, signal })), [collection, query, way, JSON.stringify(filters), expression, offset, abilities]);
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
        {abilities?.hasMeaning === true && <div><Choice label="How to search" value={way} options={WAYS} onChange={(chosen) => setQuery({ way: chosen === 'meaning' ? undefined : chosen, offset: undefined })} /></div>}
      </div>
      <div class="filter-field"><input type="text" aria-label="Filter" placeholder="Filter: year &gt;= 2020 AND tags = api" spellcheck={false} key={expression} defaultValue={expression} onChange={(event) => setQuery({ filter: event.currentTarget.value.trim() || undefined, offset: undefined })} /></div>
      <p class="muted small" role="status">{found.data === undefined ? '\u00a0' : summaryOf(found.data, query)}</p>
      <Await of={found}>{(data) => (
        <div class="split">
          <div>
            {data.hits.length > 0 && data.suggestions.length > 0 && <DidYouMean suggestions={data.suggestions} onChoose={setTyped} />}
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
  if (query.trim() === '') return <Empty>There are no such documents.</Empty>;
  return (
    <Empty>
      <p>Nothing was found. Fewer words or filters find more.</p>
      {suggestions.length > 0 && <DidYouMean suggestions={suggestions} onChoose={onChoose} />}
    </Empty>
  );
}

function DidYouMean({ suggestions, onChoose }: Omit<NothingProps, 'query'>) {
  return <p>Did you mean {suggestions.map((suggestion) => <button key={suggestion} class="chip" onClick={() => onChoose(suggestion)}>{suggestion}</button>)}</p>;
}

function summaryOf({ total, isLeast, isByMeaningAlone, corrected }: Found, query: string): string {
  const counted = total === undefined ? (isByMeaningAlone ? 'No document has these words. The nearest in meaning first' : 'The nearest documents first') : `${isLeast ? 'at least ' : ''}${plural(total, query.trim() === '' ? 'document' : 'match', query.trim() === '' ? 'documents' : 'matches')}`;
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

const TAGS = 4;

function Results({ collection, hits }: { readonly collection: string; readonly hits: readonly Hit[] }) {
  return <ol class="results">{hits.map((hit) => <Result key={hit.document.id} collection={collection} hit={hit} />)}</ol>;
}

function Result({ collection, hit: { document, passages } }: { readonly collection: string; readonly hit: Hit }) {
  const { key, lang, meta = {}, updatedAt } = document;
  const title = meta['title']?.[0];
  const shown = Object.entries(meta).filter(([name]) => name !== 'title').slice(0, TAGS);
  const isSource = sourceLanguageOf(document) !== undefined;
  return (
    <li>
      <h2><a href={documentAt(collection, document)}>{title ?? key}</a></h2>
      {passages.map((passage) => <a key={passage.lines.start} class="passage" href={documentAt(collection, document, undefined, passage.lines)}>{isSource ? <SourcePassage passage={passage} /> : <MarkedText text={withoutMarkup(passage.text)} />}</a>)}
      <div class="meta-line">
        {title !== undefined && <span>{key}</span>}
        <span>{lang}</span>
        <Time at={updatedAt} />
        {shown.map(([name, values]) => <Badge key={name}>{name}: {values.slice(0, 3).join(', ')}</Badge>)}
      </div>
    </li>
  );
}

function SourcePassage({ passage: { text, lines } }: { readonly passage: Passage }) {
  return <><code><MarkedText text={text.replace(/\n\s*\n/g, '\n').trim()} /></code><span class="line-number">line {lines.start}</span></>;
}

/** Text in which the service tagged matches with `<mark>`; everything else in it is plain text. */
function MarkedText({ text }: { readonly text: string }) {
  return <>{tagParts(text).map((part, index) => (part.isTagged ? <mark key={index}>{part.text}</mark> : part.text))}</>;
}

interface FacetsProps {
  readonly facets: readonly Facet[];
  readonly chosen: Filters;
  readonly onChange: (filters: Filters) => void;
}

/** Values with which a search can be narrowed; chosen values stay visible whatever is found. */
function Facets({ facets, chosen, onChange }: FacetsProps) {
  const missed = Object.keys(chosen).filter((key) => !facets.some((facet) => facet.key === key)).map((key): Facet => ({ key, values: [] }));
  const shown = [...facets, ...missed].map(({ key, values }) => {
    const missing = (chosen[key] ?? []).filter((value) => !values.some((each) => each.value === value)).map((value) => ({ value, count: 0 }));
    return { key, values: [...missing, ...values] };
  }).filter(({ values }) => values.length > 0);
  const any = Object.values(chosen).some((values) => values.length > 0);
  if (shown.length === 0) return null;
  return (
    <aside class="facets" aria-label="Filters">
      {any && <button onClick={() => onChange({})}>Clear the filters</button>}
      {shown.map(({ key, values }) => (
        <fieldset key={key}>
          <legend>{key}</legend>
          {values.map((each) => (
            <label key={each.value}>
              <input type="checkbox" checked={chosen[key]?.includes(each.value) ?? false} onChange={() => onChange(toggled(chosen, key, each.value))} />
              <span title={each.value}>{each.value}</span>
              <span class="count">{count(each.count)}</span>
            </label>
          ))}
        </fieldset>
      ))}
    </aside>
  );
}
