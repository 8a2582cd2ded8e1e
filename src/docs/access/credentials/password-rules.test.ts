import { describe, expect, it } from 'vitest';
import { requireGoodPassword } from './password-rules.ts';

const refusal = (password: string, username = 'alice'): string => {
  try {
    requireGoodPassword('password', password, username, { minLength: 8 });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('rules for new passwords', () => {
  it.each([['short', 'password must have at least 8 characters, got 5'], ['🦊🦊🦊🦊🦊',
    'password must have at least 8 characters, got 5'], ['aaaaaaaaaa',
    'password must not repeat the same few characters'], ['abcabcabcab',
    'password must not repeat the same few characters'], ['23456789',
    'password must not be a sequence of neighbouring characters'], ['poiuytrewq',
    'password must not be a sequence of neighbouring characters'], ['P@ssw0rd2026!',
    'password is too common; choose one that nobody else would'], ['iloveyou1',
    'password is too common; choose one that nobody else would']])('refuse %s',
      (password, message) => expect(refusal(password)).toBe(message));

  it('refuse the name of the user, also backwards or with digits', () => {
    expect(refusal('christina', 'Christina')).toBe('password must not be the user name');
    expect(refusal('anitsirhc', 'christina')).toBe('password must not be the user name');
    expect(refusal('christina99', 'christina')).toContain('too common');
  });

  it.each(['correct horse battery staple', 'tr0ub4dor&3', 'kx7 mf2q', 'pässwörtchen'])(
    'accept %s, whatever characters it has',
    (password) => expect(refusal(password)).toBe(''),
  );
});
