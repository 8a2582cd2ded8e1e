/**
 * Names of scheduled backups, which distinguish them from manual ones: `scheduled-20261123T030000Z`, with an ending.
 */
const NAME = /^scheduled-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** Precise to the second; `ending` is for example `.db`. */
export function scheduledName(ms: number, ending: string): string {
  return `scheduled-${new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '')}${ending}`;
}

/** The start of a scheduled backup, in milliseconds since 1970; undefined for every other name. */
export function momentOfName(name: string, ending: string): number | undefined {
  if (!name.endsWith(ending)) return undefined;
  const match = NAME.exec(name.slice(0, name.length - ending.length));
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [number, number, number, number,
    number, number];
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
