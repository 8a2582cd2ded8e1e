/**
 * A document of the soak test: all its contents follow from its name and version, so that a mixture of versions is
 * detected.
 */
export interface Version {
  readonly contentMd: string;
  readonly meta: Readonly<Record<string, readonly string[]>>;
}

/** A word that only this document has, in all of its versions. */
export const nameWord = (name: string): string => `name${name}`;
/** A word that only this version of this document has. */
export const versionWord = (name: string, version: number): string => `name${name}version${version}`;

/** Words that a version has by its number and shares with others: queries search for three of them together. */
export const sharedWords = (version: number): [string, string] => [`five${version % 5}`, `three${version % 3}`];
export const kindOf = (version: number): string => `kind${version % 4}`;

export function versionOf(name: string, version: number): Version {
  const [five, three] = sharedWords(version);
  const filler = Array.from({ length: (version * 7) % 60 }, (_, i) => `filler${i}`).join(' ');
  return {
    contentMd: `# ${nameWord(name)}\n\neverywhere ${five} ${filler}\n\n${three} ${versionWord(name, version)}\n`,
    meta: { name: [name], version: [String(version)], kind: [kindOf(version)] },
  };
}
