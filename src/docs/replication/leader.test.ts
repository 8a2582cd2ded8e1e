import { beforeEach, describe, expect, it } from 'vitest';
import { Followers } from './leader.ts';

const HOUR = 3_600_000;

describe('followers', () => {
  let now: number;
  let followers: Followers;
  beforeEach(() => {
    now = 10 * HOUR;
    followers = new Followers({ now: () => now });
  });
  const reached = (position: number, history = 'one') => followers.reached({ history, position });
  const confirmed = (position: number) => followers.confirmed({ followerId: 'a', lsn: position, position }, 'there');
  const lag = () => followers.list().map(({ lagMs, status }) => [lagMs, status]);

  it('are as late as the first entry that they lack, also after the clock was set back', () => {
    reached(1);
    confirmed(1);
    reached(2);
    now += 500;
    reached(3);
    now += 1500;
    expect(lag()).toEqual([[1500, 'warning']]);
    now -= 2 * HOUR;
    reached(3);
    expect(lag()).toEqual([[0, 'healthy']]);
    confirmed(3);
    now += 1000;
    reached(4);
    now += 60_000;
    expect(lag()).toEqual([[60_000, 'unhealthy']]);
  });

  it('are not late for entries of a database that was replaced', () => {
    reached(1);
    now += HOUR;
    reached(50_000);
    confirmed(50_000);
    now += HOUR;
    reached(1, 'two');
    confirmed(1);
    expect(lag()).toEqual([[0, 'healthy']]);
    now += 1000;
    reached(2, 'two');
    now += 5000;
    expect(lag()).toEqual([[5000, 'warning']]);
  });
});
