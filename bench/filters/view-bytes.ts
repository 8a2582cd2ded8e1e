/** Bytes of the metadata view, as `/v1/stats` or `/metrics` has them under the name `columns`; undefined where neither does. */
export async function viewBytes(url: string): Promise<number | undefined> {
  const stats = (await (await fetch(`${url}/v1/stats`)).json()) as unknown;
  const reported = bytesUnder(stats);
  if (reported !== undefined) return reported;
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const samples = metrics.split('\n').flatMap((line) => /^\w*bytes\w*\{[^}]*"columns"[^}]*\} (\S+)$/.exec(line)?.[1] ?? []);
  return samples.length === 0 ? undefined : samples.reduce((sum, sample) => sum + Number(sample), 0);
}

/** The sum of what is named `columns`, be it a number, or an object with `bytes`, in an object beside others or by its name. */
function bytesUnder(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, view, bytes } = value as { name?: unknown; view?: unknown; bytes?: unknown };
  if ((name === 'columns' || view === 'columns') && typeof bytes === 'number') return bytes;
  const found = Object.entries(value).map(([key, inner]: [string, unknown]) => (key === 'columns' && typeof inner === 'number' ? inner : key === 'columns' ? (inner as { bytes?: number } | null)?.bytes : bytesUnder(inner)));
  const numbers = found.filter((number) => number !== undefined);
  return numbers.length === 0 ? undefined : numbers.reduce((sum, number) => sum + number, 0);
}
