import { describe, expect, it } from 'vitest';
import { isBelow, submoduleAddress } from './git-address.ts';

describe('the address of a submodule', () => {
  it.each([
    ['https://git.example.org/team/alpha.git', '../beta.git', 'https://git.example.org/team/beta.git'],
    ['https://git.example.org/team/alpha.git/', './sub', 'https://git.example.org/team/alpha.git/sub'],
    ['git@git.example.org:team/alpha.git', '../../other/beta', 'git@git.example.org:other/beta'],
    ['file:///srv/git/alpha', '../beta', 'file:///srv/git/beta'],
    ['https://a.example', 'https://b.example/x.git', 'https://b.example/x.git'],
    ['https://a.example/x', 'git@b.example:y/z', 'git@b.example:y/z'],
  ])('of %s: %s is %s', (parent, address, wanted) => expect(submoduleAddress(parent, address)).toBe(wanted));

  it.each(['../../../../etc', '-u', '--upload-pack=x', 'ext::sh -c id', '/etc/passwd', 'git@-host:x', 'a b',
    '../x\ny'])('is none: %j',
      (address) => expect(submoduleAddress('https://git.example.org/team/alpha.git', address)).toBeUndefined());
});

it('is below another one up to the end of a part', () => {
  const team = 'https://git.example.org/team';
  expect([`${team}/alpha`, team, `${team}work/alpha`].map((each) => isBelow(each, team))).toEqual([true, true, false]);
  expect(isBelow('git@host:team/x', 'git@host:')).toBe(true);
  expect(isBelow('https://git.example.org.evil/x', 'https://git.example.org')).toBe(false);
});
