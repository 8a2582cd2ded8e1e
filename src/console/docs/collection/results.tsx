import { Badge, Time } from '../../shared/parts.tsx';
import { documentAt } from '../places.ts';
import type { Hit } from './passages.ts';
import { count } from '../../shared/format.ts';
import { type Filters, toggled } from './filters.ts';
import type { Facet } from './find.ts';

const TAGS = 4;

export function Results({ collection, hits }: { readonly collection: string; readonly hits: readonly Hit[] }) {
  return <ol class="results">{hits.map((hit) => <Result key={hit.document.id} collection={collection} hit={hit} />)}</ol>;
}

/** A passage as plain text, without the markup of headings, lists, emphasis and tables. */
function withoutMarkup(passage: string): string {
  return passage.replace(/\|(?:[-: ]*\|)+/g, ' ').replace(/\*\*|^#+ | #+ |`|(?:^| )\|(?= |$)/g, ' ').replace(/\s+/g, ' ');
}

function Result({ collection, hit: { document, passages } }: { readonly collection: string; readonly hit: Hit }) {
  const { key, lang, meta = {}, updatedAt } = document;
  const title = meta['title']?.[0];
  const shown = Object.entries(meta).filter(([name]) => name !== 'title').slice(0, TAGS);
  return (
    <li>
      <h2><a href={documentAt(collection, document)}>{title ?? key}</a></h2>
      {passages.map((passage, index) => <p key={index}><MarkedText text={withoutMarkup(passage)} /></p>)}
      <div class="meta-line">
        {title !== undefined && <span>{key}</span>}
        <span>{lang}</span>
        <Time at={updatedAt} />
        {shown.map(([name, values]) => <Badge key={name}>{name}: {values.slice(0, 3).join(', ')}</Badge>)}
      </div>
    </li>
  );
}

/** Text in which the service tagged matches with `<mark>`; everything else in it is plain text. */
function MarkedText({ text }: { readonly text: string }) {
  return <>{text.split(/<mark>(.*?)<\/mark>/s).map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part))}</>;
}

interface FacetsProps {
  readonly facets: readonly Facet[];
  readonly chosen: Filters;
  readonly onChange: (filters: Filters) => void;
}

/** Values with which a search can be narrowed; chosen values stay visible whatever is found. */
export function Facets({ facets, chosen, onChange }: FacetsProps) {
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
