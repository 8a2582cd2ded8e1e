import { expect, it } from 'vitest';
import { readEntityTags } from './entity-tags.ts';

const tag = (value: string, isWeak = false) => ({ value, isWeak });

it.each<[string, ReturnType<typeof readEntityTags>]>([['*', '*'], [' * ', '*'], ['"a"', [tag('a')]], ['W/"a"', [
  tag('a', true),
]], ['"a", W/"b" ,"c"', [tag('a'), tag('b', true), tag('c')]], ['"a-gzip", "b-br", "c-zstd", "d-x"', [tag('a'),
  tag('b'), tag('c'), tag('d-x')]], ['""', [tag('')]], ['', []], ['a, "b, "c"', [tag('c')]]])('readEntityTags reads %j',
    (header, expected) => {
      expect(readEntityTags(header)).toEqual(expected);
    });
