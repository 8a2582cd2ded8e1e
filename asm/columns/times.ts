// Times of documents: when they were added and updated, and when they expire. Unix seconds as f64 by slot, NaN for
// none, in pages of 512 slots; only pages with times exist.

import { H_TIMES, PART_COLUMNS } from './layout.ts';
import { allocate, resize } from './memory.ts';

export const TIME_SHIFT: u32 = 9;
export const TIME_SLOTS: u32 = 512;
export const ADDED_AT: u32 = 0;
export const UPDATED_AT: u32 = 1;
export const EXPIRES_AT: u32 = 2;
/** The column of a time that no document has; it stays empty. */
export const NO_TIME: u32 = 3;

/** The page of a column that has a slot, or 0. */
export function timePage(field: u32, page: u32): usize {
  const pages = H_TIMES + (<usize>field << 3);
  return page >= load<u32>(pages, 4) ? 0 : <usize>load<u32>(<usize>load<u32>(pages) + (<usize>page << 2));
}

export function timeOf(field: u32, slot: u32): f64 {
  const page = timePage(field, slot >> TIME_SHIFT);
  return page === 0 ? NaN : load<f64>(page + (<usize>(slot & (TIME_SLOTS - 1)) << 3));
}

/** Sets a time; NaN for none. */
export function setTime(field: u32, slot: u32, time: f64): void {
  const pages = H_TIMES + (<usize>field << 3);
  const page = slot >> TIME_SHIFT;
  if (timePage(field, page) === 0) {
    if (time !== time) return;
    const room = load<u32>(pages, 4);
    if (page >= room) {
      const wider = max(page + 1, room + (room >> 1));
      store<u32>(pages, <u32>resize(load<u32>(pages), room << 2, wider << 2, PART_COLUMNS));
      store<u32>(pages, wider, 4);
    }
    const made = allocate(TIME_SLOTS << 3, PART_COLUMNS);
    for (let i: usize = 0; i < <usize>TIME_SLOTS; i++) store<f64>(made + (i << 3), NaN);
    store<u32>(<usize>load<u32>(pages) + (<usize>page << 2), <u32>made);
  }
  store<f64>(timePage(field, page) + (<usize>(slot & (TIME_SLOTS - 1)) << 3), time);
}
