import type { Peer } from '../peers/index.ts';
import type { Section } from '../support/table.ts';

/** The result of querying one peer for the matches of each word. */
export interface Counted {
  readonly peer: Peer;
  readonly counts: readonly number[];
}

/** Number of words that are shown of those for which a peer differs. */
const SHOWN = 4;

/** Whether the peers find as many documents as the first one, which is our own. */
export function agreementOf(documents: number, words: readonly string[], counted: readonly Counted[]): Section {
  const [ours, ...theirs] = counted;
  return {
    title: `Full-text search: do the peers find the same? ${words.length} single words without stemming in ${
      documents.toLocaleString('en-US')
    } pages of MDN`,
    header: ['peer', 'words with as many matches as ours', 'where it differs: word (theirs, ours)'],
    rows: theirs.map(({ peer, counts }) => {
      const differing = words.flatMap((word,
        i) => (counts[i] === ours!.counts[i]
          ? []
          : [{ word, by: Math.abs(counts[i]! - ours!.counts[i]!), text: `${word} (${counts[i]}, ${ours!.counts[i]})` }])
      );
      differing.sort((a, b) => b.by - a.by);
      return [peer.name, `${words.length - differing.length} of ${words.length}`,
        differing.slice(0, SHOWN).map(({ text }) => text).join(', ') || '-'];
    }),
    notes: [
      'Tokenizers differ: some keep identifiers with dots, underscores or colons whole, of which others make ' +
      'several words, and all differ in what they make of apostrophes.',
    ],
  };
}
