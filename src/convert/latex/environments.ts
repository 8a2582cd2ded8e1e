/** Environments whose content is code, with the signature of their arguments. */
export const VERBATIM: ReadonlyMap<string, string> = new Map([['verbatim', ''], ['verbatim*', ''], ['Verbatim', 'o'], [
  'lstlisting',
  'o',
], ['minted', 'om'], ['alltt', ''], ['filecontents', 'om'], ['code', 'o']]);

export const MATH: ReadonlySet<string> = new Set(
  ['equation', 'displaymath', 'math', 'align', 'aligned', 'alignat', 'flalign', 'gather', 'multline', 'eqnarray',
    'array', 'dmath', 'subequations', 'split', 'cases', 'matrix', 'pmatrix', 'bmatrix'].flatMap((
      name,
    ) => [name, `${name}*`]),
);

/** Pictures drawn by macros, and content that is not printed. */
export const SKIPPED: ReadonlySet<string> = new Set(['comment', 'tikzpicture', 'picture', 'pspicture', 'filecontents',
  'filecontents*', 'CCSXML', 'asy', 'axis', 'forest', 'circuitikz']);

export const LISTS: ReadonlySet<string> = new Set(['itemize', 'enumerate', 'description', 'list', 'trivlist',
  'compactitem', 'compactenum', 'thebibliography', 'easylist', 'inparaenum', 'itemize*', 'enumerate*', 'description*',
  'dinglist']);
export const ORDERED: ReadonlySet<string> = new Set(['enumerate', 'compactenum', 'inparaenum', 'enumerate*']);
export const QUOTES: ReadonlySet<string> = new Set(['quote', 'quotation', 'verse', 'displayquote']);

/** Arguments of other environments before their content. */
export const BEFORE: ReadonlyMap<string, string> = new Map([['figure', 'o'], ['figure*', 'o'], ['table', 'o'], [
  'table*',
  'o',
], ['minipage', 'ooom'], ['multicols', 'm'], ['list', 'mm'], ['thebibliography', 'm'], ['enumerate', 'o'], ['itemize',
  'o'], ['description', 'o'], ['wrapfigure', 'omom'], ['subfigure', 'om'], ['frame', 'o'], ['adjustbox', 'm'], [
  'spacing',
  'm',
], ['otherlanguage', 'm'], ['tcolorbox', 'o'], ['mdframed', 'o'], ['letter', 'm'], ['column', 'm'], ['block', ''], [
  'adjustwidth',
  'mm',
], ['appendices', ''], ['threeparttable', 'o'], ['sidewaystable', 'o'], ['scope', 'o']]);
