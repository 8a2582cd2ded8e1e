const VERSION = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/**
 * Whether a version is lower than another one; an invalid version is lower than all. A pre-release is lower than its
 * release.
 */
export function isOlder(version: string, than: string): boolean {
  const [own, other] = [VERSION.exec(version), VERSION.exec(than)];
  if (other === null) return false;
  if (own === null) return true;
  for (const part of [1, 2, 3]) {
    const difference = Number(own[part]) - Number(other[part]);
    if (difference !== 0) return difference < 0;
  }
  return own[4] !== undefined && other[4] === undefined;
}
