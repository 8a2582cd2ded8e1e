import { Lru } from '../lib/caches.ts';

const MAX_REMEMBERED = 1000;

/** A function of a name that is asked for the same few names again and again, such as those of a file's fonts. */
export function remembered<Answer>(answer: (name: string) => Answer): (name: string) => Answer {
  const known = new Lru<string, Answer>(MAX_REMEMBERED);
  return (name) => {
    let found = known.get(name);
    if (found === undefined) known.set(name, found = answer(name));
    return found;
  };
}
