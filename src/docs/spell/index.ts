/** The entry point of the spelling area. */
export { createSpell, type Spell } from './spell.ts';
