import { nameOfCell } from '../config/index.ts';
import type { CellName } from '../definitions/index.ts';

/** A cell for people: `cell os=linux`, `job test`, or `job test (os=linux)`. */
export function nameOf({ job, values }: CellName): string {
  const cell = nameOfCell(values);
  if (job === '') return `cell ${cell}`;
  return cell === '' ? `job ${job}` : `job ${job} (${cell})`;
}
