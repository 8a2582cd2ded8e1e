const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
};

/**
 * Returns the number of bytes of a size such as `1024`, `16KiB` (powers of 1024) or `256MB` (powers of 1000); the
 * letters' case does not matter. Returns undefined for everything else and for more than 2^53 - 1.
 */
export function parseByteSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?) ?([KMGT]?I?B?)$/i.exec(text);
  const unit = UNITS[match?.[2]?.toUpperCase() ?? '-'];
  if (match === null || unit === undefined) return undefined;
  const bytes = Number(match[1]) * unit;
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/**
 * Formats with the largest unit that divides the number, so that `parseByteSize` reads the same number: `32MiB`,
 * `1500`.
 */
export function formatByteSize(bytes: number): string {
  const unit = (['TiB', 'GiB', 'MiB', 'KiB'] as const).find((name) =>
    bytes > 0 && bytes % UNITS[name.toUpperCase()]! === 0
  );
  return unit === undefined ? String(bytes) : `${bytes / UNITS[unit.toUpperCase()]!}${unit}`;
}
