import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { type Lines, showPassage } from '../lines.ts';
import { type Piece, sourceLines } from './source-lines.ts';

interface SourceProps {
  readonly text: string;
  readonly language: string;
  /** Lines that are shown at once. */
  readonly at?: Lines | undefined;
}

/** Source code with the numbers of its lines. */
export function Source({ text, language, at }: SourceProps) {
  const code = useRef<HTMLElement>(null);
  const lines = useMemo(() => sourceLines(text, language).map((pieces, index) => <Line key={index} number={index + 1} pieces={pieces} />), [text, language]);
  useLayoutEffect(() => at && showPassage([...code.current!.children].slice(at.start - 1, at.end)), [lines, at?.start, at?.end]);
  return <pre class="source" role="region" aria-label="Source" tabIndex={0}><code ref={code}>{lines}</code></pre>;
}

/** The number is drawn by the style, so that it is not copied with the text. */
function Line({ number, pieces }: { readonly number: number; readonly pieces: readonly Piece[] }) {
  return <span class="line" data-line={number}>{pieces.map(({ text, kinds }, index) => (kinds.length === 0 ? text : <span key={index} class={kinds.map((kind) => `t-${kind}`).join(' ')}>{text}</span>))}{'\n'}</span>;
}
