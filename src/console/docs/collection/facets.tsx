import { count } from '../../shared/format.ts';
import { toggled, type Filters } from './filters.ts';
import type { Facet } from './find.ts';

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
