import type { Lines } from '../../shared/lines.ts';
import { Markdown } from '../../shared/markdown.tsx';
import { Source } from '../../shared/source/source.tsx';
import { type Named, sourceLanguageOf } from './source-language.ts';

interface ContentProps {
  readonly of: Named;
  readonly text: string;
  readonly at?: Lines | undefined;
}

/** The text of a document, as source code if it is some, and else as markdown. */
export function Content({ of, text, at }: ContentProps) {
  const language = sourceLanguageOf(of);
  return language === undefined ? <Markdown text={text} at={at} /> : <Source text={text} language={language} at={at} />;
}
