// Constants of splitmix64.
export const GOLDEN: u64 = (<u64>0x9e3779b9 << 32) | 0x7f4a7c15;
const FIRST_FACTOR: u64 = (<u64>0xbf58476d << 32) | 0x1ce4e5b9;
const SECOND_FACTOR: u64 = (<u64>0x94d049bb << 32) | 0x133111eb;

/**
 * The finaliser of splitmix64 (Steele, Lea and Flood, OOPSLA 2014): a permutation of the 64-bit numbers in which every
 * bit depends on all bits.
 */
export function mix(value: u64): u64 {
  value = (value ^ (value >> 30)) * FIRST_FACTOR;
  value = (value ^ (value >> 27)) * SECOND_FACTOR;
  return value ^ (value >> 31);
}
