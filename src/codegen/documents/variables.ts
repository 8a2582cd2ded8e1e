const VARIABLE = /\bSVC_[A-Z0-9]+(?:_[A-Z0-9]+)*\b(?![*_…])/g;

/**
 * The variables of the document service that a page names; docs/settings.md, which a test compares with the settings,
 * names all.
 */
export function variablesOf(text: string): ReadonlySet<string> {
  return new Set(text.match(VARIABLE));
}

/** One line for each variable of a page that is no setting. */
export function unknownVariables(file: string, text: string, settings: ReadonlySet<string>): string[] {
  return text.split('\n').flatMap((line, at) =>
    [...variablesOf(line)].filter((name) => !settings.has(name)).map((name) =>
      `${file}:${at + 1}: ${name} is no setting`
    )
  );
}
