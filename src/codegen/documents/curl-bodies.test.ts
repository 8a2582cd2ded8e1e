import { describe, expect, it } from 'vitest';
import { untypedBodies } from './curl-bodies.ts';

describe('a curl in a page', () => {
  it('names the type of its body, wherever in the command', () => {
    expect(
      untypedBodies('a.md',
        "curl x -d '{\n  \"a\": 1\n}' -H 'Content-Type: application/json'\ncurl x -H \"$json\" -d '{}'\ncurl x " +
          "\\\n  -d @- -H 'Content-Type: text/plain'\nnpx buf curl x -d '{}'\ncurl x\n"),
    ).toEqual([]);
  });

  it('is reported when it does not', () => {
    expect(untypedBodies('a.md', "text\ncurl x -d '{\n}'\ncurl y -H 'Content-Type: application/json' -d '{}'\n"))
      .toEqual(['a.md:2: curl sends a body without its Content-Type']);
  });
});
