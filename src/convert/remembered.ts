const MAX_REMEMBERED = 1000;

/** A function of a name that is asked for the same few names again and again, such as those of a file's fonts. */
export function remembered<Answer>(answer: (name: string) => Answer): (name: string) => Answer {
  const known = new Map<string, Answer>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= MAX_REMEMBERED) known.clear();
    const found = answer(name);
    known.set(name, found);
    return found;
  };
}
