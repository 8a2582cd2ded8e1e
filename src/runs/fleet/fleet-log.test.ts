import { afterEach, beforeEach, expect, it } from 'vitest';
import { FleetFixture } from '../../testkit/runs-fleet.ts';

let fixture: FleetFixture;
beforeEach(async () => {
  fixture = await FleetFixture.start();
});
afterEach(() => fixture.stop());

it('has one line each for a ship that connects, is lost and is revoked', async () => {
  const note = (_fields: object, message: string): void => void fixture.logged.push(message);
  Object.assign(fixture.env.log, { info: note });
  const { ship, stream } = await fixture.connected('build-01');
  const count = (text: string): number => fixture.logged.filter((line) => line.startsWith(text)).length;
  expect(count('a ship is connected')).toBe(1);
  stream.cancel();
  await expect.poll(() => count('a ship is disconnected')).toBe(1);
  await fixture.handle('revokeShip', { id: ship.id });
  await fixture.handle('revokeShip', { id: ship.id });
  expect(count('a ship is revoked')).toBe(1);
});
