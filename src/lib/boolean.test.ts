import { describe, expect, it } from 'vitest';
import { parseBoolean } from './boolean.ts';

describe('parseBoolean (decision D-05)', () => {
  it.each(['true', '1', 'yes', 'on', 'enable', 'TRUE', 'On'])('%s is true', (text) => {
    expect(parseBoolean(text)).toBe(true);
  });

  it.each(['false', '0', 'no', 'off', 'disable', 'False', 'NO'])('%s is false', (text) => {
    expect(parseBoolean(text)).toBe(false);
  });

  it.each(['', 'y', '2', 'enabled', ' true', 'constructor', '__proto__'])('%j is neither', (text) => {
    expect(parseBoolean(text)).toBeUndefined();
  });
});
