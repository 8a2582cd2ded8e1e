/**
 * A metadata key with its values in the form that users type: separated by commas, with `\,` for a comma within a
 * value.
 */
export interface MetaRow {
  readonly key: string;
  readonly values: string;
}

export function rowsOf(meta: Readonly<Record<string, readonly string[]>>): MetaRow[] {
  return Object.entries(meta).map(([key, values]) => ({
    key,
    values: values.map((value) => value.replaceAll('\\', '\\\\').replaceAll(',', '\\,')).join(', '),
  }));
}

/** Rows without a key or without values are dropped; the values of equal keys are joined. */
export function metaOf(rows: readonly MetaRow[]): Record<string, string[]> {
  const meta: Record<string, string[]> = {};
  for (const { key, values } of rows) {
    const name = key.trim();
    const given = splitValues(values);
    if (name !== '' && given.length > 0) meta[name] = [...(meta[name] ?? []), ...given];
  }
  return meta;
}

function splitValues(text: string): string[] {
  const parts = text.match(/(?:\\.|[^,\\])+/g) ?? [];
  return parts.map((part) => part.trim().replace(/\\(.)/g, '$1')).filter((part) => part !== '');
}
