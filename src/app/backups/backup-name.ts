/** Names of scheduled backups, by which they are told from those that people made: `scheduled-20261123T030000Z`, with an ending. */
const NAME = /^scheduled-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** To the second; `ending` is such as `.db`. */
export function scheduledName(ms: number, ending: string): string {
  return `scheduled-${new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '')}${ending}`;
}

/** When a scheduled backup was begun, in milliseconds since 1970; undefined for every other name. */
export function momentOfName(name: string, ending: string): number | undefined {
  if (!name.endsWith(ending)) return undefined;
  const match = NAME.exec(name.slice(0, name.length - ending.length));
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [number, number, number, number, number, number];
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
