import { Icon } from '../../shared/icons.tsx';
import type { MetaRow } from './meta-rows.ts';

export function MetaEditor({ rows, onChange }: { readonly rows: readonly MetaRow[]; readonly onChange: (rows: MetaRow[]) => void }) {
  const put = (at: number, change: Partial<MetaRow>): void => onChange(rows.map((row, index) => (index === at ? { ...row, ...change } : row)));
  return (
    <div>
      {rows.map(({ key, values }, index) => (
        <div class="meta-row" key={index}>
          <input aria-label={`Key ${index + 1}`} placeholder="key" value={key} onInput={(event) => put(index, { key: event.currentTarget.value })} />
          <input aria-label={`Values of ${key || `key ${index + 1}`}`} placeholder="values, separated by commas" value={values} onInput={(event) => put(index, { values: event.currentTarget.value })} />
          <button class="plain icon" aria-label={`Remove ${key || `key ${index + 1}`}`} onClick={() => onChange(rows.filter((_, at) => at !== index))}><Icon name="close" /></button>
        </div>
      ))}
      <button type="button" onClick={() => onChange([...rows, { key: '', values: '' }])}><Icon name="plus" />Add a key</button>
    </div>
  );
}
